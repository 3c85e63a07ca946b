/**
 * This is the environment for a process whose start is measured. With NODE_EXTRA_CA_CERTS, Node 20 reads a file of
 * certificates at the start of each process, which takes 60 to 90 ms, and would hide most differences.
 */
export const ownEnvironment = { ...process.env };
delete ownEnvironment.NODE_EXTRA_CA_CERTS;
