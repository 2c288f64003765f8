import { ssmChaosById } from './ssm-chaos.ts';

export default ssmChaosById();
