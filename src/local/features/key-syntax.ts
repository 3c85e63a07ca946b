/** What the keys of namespaces, flags and segments are made of. */
export const KEY_SYNTAX = /^[-_,A-Za-z0-9]+$/;
