const flags = (value: 0 | 1, ...names: string[]) => names.map(name => `"${name}" INTEGER DEFAULT ${value}`)

/** As wide as those of the service. What `createRooms` is not asked for has a default. In SQL that both databases take. */
const tables = {
  rooms: [
    'id TEXT PRIMARY KEY',
    '"spaceId" TEXT',
    'alias TEXT',
    '"channelId" TEXT',
    'name TEXT',
    'type TEXT',
    ...flags(0, 'isPublic', 'isFloorAllowed', 'isLocked', 'isAutoRecordingAllowed'),
    ...flags(1, 'isChatAllowed', 'isScreensharingAllowed', 'isHandRaisingAllowed', 'isSelfRenamingAllowed'),
    ...flags(1, 'isMicrophonePublishingAllowed', 'isCameraPublishingAllowed', 'isScreenMediaPublishingAllowed'),
    ...flags(1, 'isRecordAllowed'),
    `"waitingRoomAudience" TEXT DEFAULT 'nobody'`,
    '"creatorId" TEXT',
    '"createdAt" BIGINT',
    '"updatedAt" BIGINT',
    '"externalId" TEXT',
  ],
  audit: [
    'id TEXT PRIMARY KEY',
    'at BIGINT',
    'action TEXT',
    '"actorKind" TEXT',
    '"actorId" TEXT',
    '"actorName" TEXT',
    'address TEXT',
    '"tokenId" TEXT',
    '"spaceId" TEXT',
    '"targetType" TEXT',
    '"targetId" TEXT',
    '"targetName" TEXT',
    'details TEXT',
  ],
}

const createTables = Object.entries(tables).map(([name, columns]) => `CREATE TABLE ${name} (${columns.join(', ')})`)

/** As many as the service has for a private room and its entry, over what they stand for. */
const createIndexes = [
  'UNIQUE INDEX rooms_alias ON rooms (alias)',
  'UNIQUE INDEX rooms_channel ON rooms ("channelId")',
  'INDEX rooms_by_space ON rooms ("spaceId", id)',
  'INDEX rooms_by_creator ON rooms ("creatorId", "spaceId", id)',
  'INDEX rooms_by_name ON rooms ("spaceId", name, id)',
  'INDEX rooms_by_type ON rooms ("spaceId", type, id)',
  'INDEX audit_by_space ON audit ("spaceId", id)',
  'INDEX audit_by_actor ON audit ("actorId", id)',
  'INDEX audit_by_action ON audit (action, id)',
].map(index => `CREATE ${index}`)

export const createSchema = (isIndexed: boolean) => (isIndexed ? [...createTables, ...createIndexes] : createTables)

/** The columns that are given, in the order of the values. */
const given = {
  rooms: ['id', '"spaceId"', 'alias', '"channelId"', 'name', 'type', '"creatorId"', '"createdAt"'],
  audit: tables.audit.map(column => column.split(' ')[0] ?? ''),
}

/** `mark`: how the database names the parameter of that number. */
export const insertInto = (table: keyof typeof tables, mark: (number: number) => string) =>
  `INSERT INTO ${table} (${given[table].join(', ')}) VALUES (${given[table].map((_, index) => mark(index + 1)).join(', ')})`
