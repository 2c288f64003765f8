import { ec2StopByTag } from './ec2-stop.ts';

export default ec2StopByTag('ec2-stop-by-tag');
