import { lossByName } from './vm-disk-loss.ts';

export default lossByName();
