/** What a participant may send. All false: they watch and listen. */
export interface MediaRights {
  camera: boolean
  microphone: boolean
  screen: boolean
}

export interface MediaParticipant {
  participantId: string
  name: string
  rights: MediaRights
}

/**
 * The live part of a broadcast, as joining and calls need it. A channel is one room's live session, named by the
 * room's `channelId`.
 */
export interface MediaEngine {
  /** Opens the channel if need be and gives what the participant's browser connects with. */
  admit(channelId: string, participant: MediaParticipant): Promise<{ mediaUrl: string; mediaToken: string }>
  setRights(channelId: string, participantId: string, rights: MediaRights): Promise<void>
  mute(channelId: string, participantId: string, source: keyof MediaRights): Promise<void>
  remove(channelId: string, participantId: string): Promise<void>
  /** Sends everyone away. */
  close(channelId: string): Promise<void>
  /** The truth to reconcile with: who is in which channel now. */
  list(): Promise<{ channelId: string; participantIds: string[] }[]>
}
