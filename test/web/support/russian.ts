/** Three words in a row that are not Russian; names of things, addresses and codes are shorter. */
export const latinSentence = /[A-Za-z][A-Za-z’']*(?: [A-Za-z][A-Za-z’']*){2,}/
