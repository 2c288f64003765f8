import { ebsLossByTag } from './ebs-loss.ts';

export default ebsLossByTag();
