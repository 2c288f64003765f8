import { stopByLabel } from './vm-instance-stop.ts';

export default stopByLabel();
