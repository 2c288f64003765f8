import { ssmChaosByTag } from './ssm-chaos.ts';

export default ssmChaosByTag();
