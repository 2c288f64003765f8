import { ec2StopById } from './ec2-stop.ts';

export default ec2StopById('ec2-stop-by-id');
