/** Folders of a qualification. */

/** Below that of the first attempt: what was measured again. */
export const ATTEMPTS = 'attempts';
