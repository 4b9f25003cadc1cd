/** The forms of number that a language has beyond those of English. */
type Forms = { ru: 'few' | 'many' }

/** The same texts in another language: under the same keys, and what is counted in all its forms. */
export type Translated<Messages, Language extends keyof Forms> = Record<keyof Messages, string> & {
  [Key in keyof Messages as Key extends `${infer Name}_other` ? `${Name}_${Forms[Language]}` : never]: string
}
