/**
 * The script for the browser, as text: for so many milliseconds each frame zooms, drags or scrolls the time axis, and records the time
 * between frames. Gives the times in milliseconds.
 */
export function sweepScript(gesture: 'zoom' | 'drag' | 'scroll', lengthMs: number): string {
  return `new Promise((resolve) => {
    const stage = document.querySelector('.timeline-stage');
    const scroll = document.querySelector('.timeline-scroll');
    const box = stage.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const gesture = ${JSON.stringify(gesture)};
    const pointer = (type, at) => stage.dispatchEvent(new PointerEvent(type, { clientX: at, clientY: y, pointerId: 1, bubbles: true }));
    stage.setPointerCapture = () => undefined;
    if (gesture === 'drag') pointer('pointerdown', x);
    const times = [];
    const begun = performance.now();
    let before = begun;
    const frame = (now) => {
      times.push(now - before);
      before = now;
      const turn = Math.sin((now - begun) / 400);
      if (gesture === 'zoom') stage.dispatchEvent(new WheelEvent('wheel', { deltaY: turn * 60, ctrlKey: true, clientX: x, clientY: y, cancelable: true }));
      if (gesture === 'drag') pointer('pointermove', x + turn * box.width * 0.4);
      if (gesture === 'scroll') scroll.scrollTop = (0.5 + turn / 2) * (scroll.scrollHeight - scroll.clientHeight);
      if (now - begun < ${lengthMs}) requestAnimationFrame(frame);
      else { pointer('pointerup', x); resolve(times.slice(5)); }
    };
    requestAnimationFrame(frame);
  })`;
}

/**
 * The script that plays the replay of a run to its end at the greatest speed, as text; it is open at its begin. Gives the times between frames, in
 * milliseconds.
 */
export function replayScript(): string {
  return `new Promise((resolve) => {
    const speed = document.querySelector('.replay-controls select');
    speed.value = speed.lastElementChild.value;
    speed.dispatchEvent(new Event('change'));
    const play = document.querySelector('.replay-play');
    play.click();
    const times = [];
    let before = performance.now();
    const frame = (now) => {
      times.push(now - before);
      before = now;
      if (play.dataset.playing === 'true') requestAnimationFrame(frame);
      else resolve(times.slice(5));
    };
    requestAnimationFrame(frame);
  })`;
}
