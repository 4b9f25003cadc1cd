export interface Finding {
  what: string
  /** What is wrong and what to do; null: all is well. */
  trouble: string | null
}

export const attempt = async (what: string, check: () => unknown): Promise<Finding> => {
  try {
    await check()
    return { what, trouble: null }
  } catch (error) {
    return { what, trouble: (error as Error).message }
  }
}

export const trouble = (message: string): never => {
  throw new Error(message)
}
