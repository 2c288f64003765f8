// Looks for work each second, and has nobody who asks it anything.
const timer = setInterval(() => console.log('no mail'), 1_000);
process.on('SIGTERM', () => clearInterval(timer));
