import glyph from './favicon.svg'

/** The glyph with the name beside it; the name alone is read aloud. */
export const Logo = ({ size = 24 }: { size?: number }) => (
  <span style={{ display: 'inline-flex', alignItems: 'center', gap: size / 3, fontWeight: 650, fontSize: size * 0.75 }}>
    <img src={glyph} alt="" width={size} height={size} />
    Lectern
  </span>
)
