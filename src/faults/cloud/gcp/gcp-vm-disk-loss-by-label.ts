import { lossByLabel } from './vm-disk-loss.ts';

export default lossByLabel();
