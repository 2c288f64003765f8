// Takes a job, works on it for 300 ms, hands in the result, and acknowledges the job only then: before that, it is another worker's.
const queue = 'http://queue.default.svc.cluster.local:8080';
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function work() {
  const id = await (await fetch(`${queue}/job`)).text();
  if (id === '') return pause(100);
  await pause(300);
  await fetch(`${queue}/result/${id}`);
  await fetch(`${queue}/done/${id}`);
}

// An end of the queue is no end of the worker.
for (;;) await work().catch(() => pause(200));
