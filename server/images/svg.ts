import { isUtf8 } from 'node:buffer'

/*
 * An SVG image with nothing in it but the image. What is not on the lists below is left out: scripts, event handlers,
 * foreign content, animation, and every reference out of the file. The result is written anew from what was understood,
 * so no reading of the original that differs from ours can get through.
 */

const words = (text: string) => new Set(text.trim().split(/\s+/))

const elements = words(`
  svg g defs symbol use title desc style path rect circle ellipse line polyline polygon text tspan textPath image
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer
  feComposite feDisplacementMap feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode
  feMorphology feOffset feTurbulence`)

const attributes = words(`
  id class style href viewBox preserveAspectRatio version transform width height x y x1 y1 x2 y2 cx cy r rx ry fx fy fr
  d points pathLength offset dx dy rotate textLength lengthAdjust startOffset method spacing side
  gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits maskUnits
  maskContentUnits markerUnits markerWidth markerHeight refX refY orient filterUnits primitiveUnits in in2 result
  stdDeviation mode type values operator k1 k2 k3 k4 radius tableValues slope intercept amplitude exponent scale
  xChannelSelector yChannelSelector baseFrequency numOctaves seed stitchTiles edgeMode
  fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity clip-path clip-rule mask marker marker-start
  marker-mid marker-end filter display visibility overflow font-family font-size font-weight font-style font-variant
  font-stretch text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift letter-spacing word-spacing
  writing-mode mix-blend-mode isolation paint-order vector-effect shape-rendering text-rendering image-rendering
  color-interpolation color-interpolation-filters flood-color flood-opacity`)

/** Whose text is part of the image. */
const withText = words('title desc text tspan textPath')

/** The functions that styles and attributes may call; `url` only for what is in the file itself. */
const functions = words(`
  rgb rgba hsl hsla lab lch oklab oklch color-mix var calc min max matrix translate translateX translateY scale scaleX
  scaleY rotate skewX skewY blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia`)

/** Neither loads anything nor is understood in more than one way. From each bracket back, so that long words take no time. */
const isInert = (text: string) =>
  !/[\\@]/.test(text) &&
  [...text.matchAll(/(?<=([\w-]*)\s*)\(\s*(['"]?#)?/g)].every(
    ([, name = '', isLocal]) => name === '' || functions.has(name) || (name === 'url' && isLocal !== undefined),
  )

const localReference = /^#[\w.:-]+$/
const embeddedPicture = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/

const isKeptAttribute = (element: string, name: string, value: string) => {
  if (!attributes.has(name)) return false
  if (name !== 'href') return isInert(value)
  return localReference.test(value) || (element === 'image' && embeddedPicture.test(value))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const entity = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));|&/g
const isCharacter = (code: number) =>
  code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff))

class NotReadable extends Error {}

const decode = (text: string) =>
  text.replace(entity, (_, hex?: string, decimal?: string, name?: string) => {
    if (name) return entities[name] ?? ''
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    if (!isCharacter(code)) throw new NotReadable()
    return String.fromCodePoint(code)
  })

const encode = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for these, however they are written
  text.replace(/[&<>"'\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, character => {
    if (character < ' ' || character > '\ufffd') return ''
    return `&#${character.charCodeAt(0)};`
  })

interface Tag {
  name: string
  attributes: Map<string, string>
  isClosed: boolean
}
type Token = { open: Tag } | { close: string } | { text: string } | null

const name = /[A-Za-z_][\w.:-]*/y
const attribute = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const tagEnd = /\s*(\/?)>/y
const text = /[^<]+/y
const closing = /<\/([A-Za-z_][\w.:-]*)\s*>/y
const data = /<!\[CDATA\[([\s\S]*?)\]\]>/y
/** Comments, instructions, and a document type without declarations of its own. */
const aside = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^<>[]*>/y

/** The tokens of a well-formed text, of which only what a logo needs is understood. */
function* tokensOf(source: string): Generator<NonNullable<Token>> {
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < source.length) {
    if (take(aside)) continue
    const plain = take(text)
    if (plain) {
      yield { text: decode(plain[0]) }
      continue
    }
    const raw = take(data)
    if (raw) {
      yield { text: raw[1] ?? '' }
      continue
    }
    const end = take(closing)
    if (end) {
      yield { close: end[1] ?? '' }
      continue
    }
    at++
    const tag: Tag = { name: take(name)?.[0] ?? '', attributes: new Map(), isClosed: false }
    if (tag.name === '') throw new NotReadable()
    for (let found = take(attribute); found; found = take(attribute)) {
      const [, key = '', double, single] = found
      if (tag.attributes.has(key)) throw new NotReadable()
      tag.attributes.set(key, decode(double ?? single ?? ''))
    }
    const ending = take(tagEnd)
    if (!ending) throw new NotReadable()
    tag.isClosed = ending[1] === '/'
    yield { open: tag }
  }
}

const MAX_DEPTH = 100

const startTag = ({ name: element, attributes: given }: Tag, isRoot: boolean) => {
  const kept = new Map(isRoot ? [['xmlns', 'http://www.w3.org/2000/svg']] : [])
  // The older spelling, which the newer one overrides.
  const link = given.get('href') ?? given.get('xlink:href')
  const all = [...given, ...(link === undefined ? [] : [['href', link] as const])]
  for (const [key, value] of all) if (isKeptAttribute(element, key, value)) kept.set(key, value)
  return `<${element}${[...kept].map(([key, value]) => ` ${key}="${encode(value)}"`).join('')}>`
}

const rebuild = (source: string) => {
  const written: string[] = []
  /** Open elements, and how many of the innermost are left out. */
  const open: string[] = []
  let skipped = 0
  let isDone = false
  /** All of a style sheet: comments and the like may stand between its parts, each of which says nothing by itself. */
  let sheet = ''
  const close = (element: string) => {
    open.pop()
    if (skipped > 0) skipped--
    else {
      // Empty but in a style sheet, in which no other element is kept.
      if (isInert(sheet)) written.push(encode(sheet))
      sheet = ''
      written.push(`</${element}>`)
    }
    isDone = open.length === 0
  }
  for (const token of tokensOf(source)) {
    const inside = open.at(-1)
    if ('text' in token) {
      if (inside === undefined && token.text.trim() !== '') throw new NotReadable()
      if (skipped > 0) continue
      if (inside === 'style') sheet += token.text
      else if (withText.has(inside ?? '')) written.push(encode(token.text))
    } else if ('close' in token) {
      if (token.close !== inside) throw new NotReadable()
      close(inside)
    } else {
      const { open: tag } = token
      const isRoot = inside === undefined
      if (isDone || (isRoot && tag.name !== 'svg') || open.length >= MAX_DEPTH) throw new NotReadable()
      open.push(tag.name)
      if (skipped > 0 || inside === 'style' || !elements.has(tag.name)) skipped++
      else written.push(startTag(tag, isRoot))
      if (tag.isClosed) close(tag.name)
    }
  }
  if (!isDone) throw new NotReadable()
  return written.join('')
}

/** The image alone; null: it is no SVG, or none that can be read. */
export const safeSvg = (bytes: Uint8Array): Buffer | null => {
  if (!isUtf8(bytes)) return null
  try {
    return Buffer.from(
      rebuild(
        Buffer.from(bytes)
          .toString()
          .replace(/^\ufeff/, ''),
      ),
    )
  } catch (error) {
    if (error instanceof NotReadable) return null
    throw error
  }
}
