import type { Track } from 'livekit-client'

export const canFloat = () => document.pictureInPictureEnabled === true

/** The picture in a window of its own, over other programs: by an element of its own, as the stage changes meanwhile. */
export const showInWindow = async (track: Track) => {
  const video = track.attach() as HTMLVideoElement
  video.muted = true
  const close = () => void track.detach(video)
  try {
    if (video.readyState < HTMLMediaElement.HAVE_METADATA)
      await new Promise(resolve => video.addEventListener('loadedmetadata', resolve, { once: true }))
    await video.requestPictureInPicture()
    video.addEventListener('leavepictureinpicture', close, { once: true })
  } catch (error) {
    close()
    throw error
  }
}
