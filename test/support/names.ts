/** Of no machine. Longer than a name may be, so that no network is asked, which may take as long as it likes. */
export const UNKNOWN_HOST = `${'nobody'.repeat(11)}.invalid`
