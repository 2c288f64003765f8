/** Loaded into a measured server: on SIGUSR2 it collects garbage and prints what is left, in bytes. */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // Buffers are freed in the background after their collection; the second one finds them counted out.
  setTimeout(() => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    console.log(`heap ${heapUsed} external ${external}`);
  }, 100);
});
