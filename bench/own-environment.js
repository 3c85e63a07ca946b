/**
 * The environment of a process whose start is measured. With NODE_EXTRA_CA_CERTS, Node 20 reads a file of certificates
 * at the start of each process, which takes longer than most of what is measured.
 */
export const ownEnvironment = { ...process.env };
delete ownEnvironment.NODE_EXTRA_CA_CERTS;
