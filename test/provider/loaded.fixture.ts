/*
 * The code that a start loads. A test whose clock is moved by hand loads it first: the time that a file needs would
 * count as none, and on a busy machine the test would be over before.
 */
import '../../src/provider/start/later-code.js';
import '../../src/provider/start/snapshot-code.js';
