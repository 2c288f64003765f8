import { stopByName } from './vm-instance-stop.ts';

export default stopByName();
