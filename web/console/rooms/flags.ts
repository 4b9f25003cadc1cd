import type { RoomType, WaitingRoomAudience } from '../../../contract/rooms.ts'

export const roomTypes: RoomType[] = ['lesson', 'webinar']
export const audiences: WaitingRoomAudience[] = ['nobody', 'guests', 'everyone']

type FlagName = 'isPublic' | 'isChatAllowed' | 'isScreensharingAllowed' | 'isFloorAllowed'

const flags: { name: FlagName; isOnAtFirst: boolean; onlyFor?: RoomType }[] = [
  { name: 'isPublic', isOnAtFirst: false },
  { name: 'isChatAllowed', isOnAtFirst: true },
  { name: 'isScreensharingAllowed', isOnAtFirst: true },
  { name: 'isFloorAllowed', isOnAtFirst: false, onlyFor: 'webinar' },
]

/** The switches that mean something in a room of this type, as a new room has them. */
export const flagsOf = (type: RoomType) => flags.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === type)

/** What all but moderators may do, in a room of either type. */
export const permissions = [
  'isMicrophonePublishingAllowed',
  'isCameraPublishingAllowed',
  'isScreenMediaPublishingAllowed',
  'isHandRaisingAllowed',
  'isSelfRenamingAllowed',
] as const

/** Calls are recorded from their start only where they may be recorded at all. */
export const recordFlags = ['isRecordAllowed', 'isAutoRecordingAllowed'] as const
