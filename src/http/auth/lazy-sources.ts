/* Where credentials come from that no option holds: loaded on first use, because most apps have a token or nothing. */

export { functionSource } from './headers-function.js';
export { kubernetesSource } from './kubernetes-login.js';
export { fileSource } from './token-file.js';
