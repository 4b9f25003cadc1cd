/** As Object.entries, with the keys that the record is known to have. */
export const entriesOf = <Key extends string, Value>(record: Record<Key, Value>) =>
  Object.entries(record) as [Key, Value][]
