import { ebsLossById } from './ebs-loss.ts';

export default ebsLossById();
