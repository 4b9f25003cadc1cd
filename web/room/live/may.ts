import type { KnownCall } from './call.ts'

/** What the room lets all but its moderators do, by what is done. */
const permissions = {
  microphone: 'isMicrophonePublishingAllowed',
  camera: 'isCameraPublishingAllowed',
  screen: 'isScreenMediaPublishingAllowed',
  hand: 'isHandRaisingAllowed',
  name: 'isSelfRenamingAllowed',
} as const
export type Permission = keyof typeof permissions

/** Whether the room has it turned on, or the person moderates. Unknown until the room is. */
export const isPermitted = ({ room, isModerator }: Pick<KnownCall, 'room' | 'isModerator'>, permission: Permission) =>
  room && (isModerator || room[permissions[permission]])

/** In a webinar only moderators are on the air, and viewers who were invited to speak. */
export const isOnAir = ({ room, self, isModerator }: Pick<KnownCall, 'room' | 'self' | 'isModerator'>) =>
  self && room && (room.type === 'lesson' || isModerator || self.hasFloor)
