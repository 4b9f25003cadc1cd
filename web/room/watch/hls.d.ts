/** The player without what our streams don't have: subtitles, further sound tracks, encryption. Its types are the whole one's. */
declare module 'hls.js/light' {
  export { default } from 'hls.js'
}
