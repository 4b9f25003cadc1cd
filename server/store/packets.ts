import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'

/** A connection to PostgreSQL that says what goes out together. */
export interface PacketClient extends PostgresPoolClient {
  /** Whatever is sent before `send` returns goes out at once. */
  inOnePacket: <T>(send: () => T) => T
  /** Whatever it has not answered yet fails. */
  cut: () => void
}

/** Told to those who ask for what is sent later, or not at all. */
export const NOTHING: PostgresQueryResult<never> = { command: 'SELECT', rowCount: 0, rows: [] }
