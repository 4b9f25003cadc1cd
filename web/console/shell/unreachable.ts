/** The service did not answer, so that a part of the page could not be fetched. */
export class Unreachable extends Error {}

export const isReachable = () =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/** A part of the page could not be fetched. If the service answers, the part is gone: there is a newer version. */
export const whyNotLoaded = async (error: unknown): Promise<never> => {
  throw (await isReachable()) ? error : new Unreachable()
}
