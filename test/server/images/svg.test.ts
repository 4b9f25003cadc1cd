import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeSvg } from '../../../server/images/svg.ts'

const clean = (text: string) => safeSvg(Buffer.from(text))?.toString() ?? null
const xmlns = 'xmlns="http://www.w3.org/2000/svg"'
const around = (content: string) => `<svg ${xmlns}>${content}</svg>`

describe('what a drawing program writes', () => {
  test('stays an image, without what is the program’s own', () => {
    const drawn = `\ufeff<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="10" viewBox='0 0 10 10' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" sodipodi:docname="a.svg">
<sodipodi:namedview id="base"/><metadata><rdf:RDF><cc:Work/></rdf:RDF></metadata>
<title>A &amp; B &lt;3 &#1046;</title><style type="text/css"><![CDATA[.a{fill:#f00;stroke:url(#g)}]]></style>
<defs><linearGradient id="g"><stop offset="0" style="stop-color:rgb(1,2,3)"/></linearGradient><path id="p" d="M0 0h1"/></defs>
<g transform="translate(1, 2) rotate(3)"><use xlink:href="#p"/><rect class="a" fill="url('#g')" height="1"/></g></svg>
`
    expect(clean(drawn)).toBe(
      `<svg ${xmlns} width="10" viewBox="0 0 10 10"><title>A &#38; B &#60;3 Ж</title>` +
        '<style type="text/css">.a{fill:#f00;stroke:url(#g)}</style>' +
        '<defs><linearGradient id="g"><stop offset="0" style="stop-color:rgb(1,2,3)"></stop></linearGradient>' +
        '<path id="p" d="M0 0h1"></path></defs>' +
        '<g transform="translate(1, 2) rotate(3)"><use href="#p"></use>' +
        '<rect class="a" fill="url(&#39;#g&#39;)" height="1"></rect></g></svg>',
    )
  })

  test('may hold a picture in itself', () => {
    const picture = '<image href="data:image/png;base64,iVBORw0KGgo="></image>'
    expect(clean(around(picture))).toBe(around(picture))
  })
})

describe('left out is', () => {
  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['one under another name', '<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>'],
    ['one inside of something else', '<metadata><g><script>alert(1)</script></g></metadata>'],
    ['foreign content', '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><p>x</p></body></foreignObject>'],
    ['a frame', '<iframe src="https://evil.example"/>'],
    ['a link', '<a href="https://evil.example"><path/></a>'],
    ['animation', '<set attributeName="href" to="javascript:alert(1)"/><animate attributeName="x"/>'],
    ['a picture from elsewhere by a filter', '<feImage href="https://evil.example/x.png"/>'],
    ['text that is not part of the image', 'some text'],
    ['a comment', '<!-- <script> -->'],
    ['an instruction', '<?xml-stylesheet href="https://evil.example/x.css"?>'],
  ])('%s', (_, content) => {
    expect(clean(around(content))).toBe(around(''))
  })

  test.each([
    ['an event handler', 'onload="alert(1)"'],
    ['one in capitals', 'ONCLICK="alert(1)"'],
    ['a script in a link', 'href="javascript:alert(1)"'],
    ['one in the older spelling', 'xlink:href="https://evil.example/x.svg#p"'],
    ['one that is written in numbers', 'href="&#106;avascript:alert(1)"'],
    ['another file', 'href="other.svg#p"'],
    ['data that is no picture', 'href="data:image/svg+xml;base64,PHN2Zz4="'],
    ['a picture where none is shown', 'href="data:image/png;base64,iVBORw0KGgo="'],
    ['a fill from elsewhere', 'fill="url(https://evil.example/x.svg#p)"'],
    ['one in quotes', `fill="url('https://evil.example')"`],
    ['one that is hidden', 'style="fill:u\\72l(https://evil.example)"'],
    ['one by another function', 'style="background:image-set(&quot;https://evil.example&quot; 1x)"'],
    ['one after a good one', 'style="fill:url(#a);mask:url(//evil.example)"'],
    ['another base', 'xml:base="https://evil.example/"'],
    ['another namespace', 'xmlns="http://www.w3.org/1999/xhtml"'],
  ])('%s', (_, attribute) => {
    expect(clean(around(`<g ${attribute}></g>`))).toBe(around('<g></g>'))
  })

  test.each(['@import "https://evil.example";', 'g{fill:url(https://evil.example)}', 'g{behavior:expression(1)}'])(
    'the style %s',
    style => {
      expect(clean(around(`<style>${style}</style>`))).toBe(around('<style></style>'))
      expect(clean(around(`<style><![CDATA[${style}]]></style>`))).toBe(around('<style></style>'))
      // Nor in parts, which a browser reads as one.
      for (const between of ['<!---->', ']]><![CDATA[', '<g/>', '<g></g>', '<none/>']) {
        const parts = style.replace('(', `${between}(`)
        const sheet = between.startsWith(']') ? `<![CDATA[${parts}]]>` : parts
        expect(clean(around(`<style>${sheet}</style>`))).toBe(around('<style></style>'))
      }
    },
  )
})

test.each([
  ['', 'nothing'],
  ['hello', 'no XML'],
  ['<html></html>', 'another document'],
  ['<svg:svg></svg:svg>', 'another name for it'],
  ['<svg>', 'what does not end'],
  ['<svg></g></svg>', 'what ends as something else'],
  ['<svg></svg><svg></svg>', 'two of them'],
  ['<svg></svg>text', 'more after it'],
  ['<svg a="1" a="2"></svg>', 'an attribute twice'],
  ['<svg a=1></svg>', 'no quotes'],
  ['<svg a="<"></svg>', 'a tag in an attribute'],
  ['<!DOCTYPE svg [<!ENTITY a "b">]><svg></svg>', 'entities of its own'],
  ['<svg><title>&a;</title></svg>', 'an unknown entity'],
  ['<svg><title>&#0;</title></svg>', 'no character'],
  ['<svg><!-- </svg>', 'an open comment'],
  [`<svg>${'<g>'.repeat(200)}${'</g>'.repeat(200)}</svg>`, 'depth without end'],
])('%j is not readable: %s', (text, _) => {
  expect(clean(text)).toBeNull()
})

test('what is no UTF-8 is not readable', () => {
  expect(safeSvg(Buffer.from('<svg></svg>', 'utf16le'))).toBeNull()
  expect(safeSvg(Buffer.from([0x3c, 0x73, 0x76, 0x67, 0x3e, 0xff]))).toBeNull()
})

test('whatever is put together, the result is inert, and reading it again changes nothing', () => {
  const piece = fc.constantFrom(
    ...['<svg>', '</svg>', '<g ', '<g>', '</g>', '<script>', '</script>', '>', '/>', ' onload="x"', " href='#a'", '"'],
    ...[' style="fill:url(http://x)"', '<![CDATA[', ']]>', '<!--', '-->', '&lt;script&gt;', '<style>', '</style>', '@'],
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 20 }).map(pieces => pieces.join('')),
    fc.array(piece, { maxLength: 12 }).map(pieces => `<svg>${pieces.join('')}</svg>`),
  )
  fc.assert(
    fc.property(text, source => {
      const result = clean(source)
      if (result === null) return
      // A quote is written as such only around the value of an attribute.
      expect(result).not.toMatch(/<script|\sonload="|http:\/\/x|<!|<\?/)
      expect(clean(result)).toBe(result)
    }),
    { numRuns: 5000 },
  )
})

test('a large one is read in the time of a test', () => {
  const paths = '<path d="M0 0h1" fill="#fff"></path>'.repeat(14_000)
  expect(clean(around(paths))).toBe(around(paths))
  // Each would take minutes if what has been read were read again from every character on.
  expect(clean(`<svg ${' '.repeat(500_000)}`)).toBe(null)
  expect(clean(`<svg>${'<!--'.repeat(100_000)}`)).toBe(null)
  expect(clean(`<svg a="${'('.repeat(500_000)}"/>`)).toBe(around(''))
  for (const long of ['a', ' ', '(', '( ', 'a ']) {
    const group = `<g id="${long.repeat(200_000)}"></g>`
    expect(clean(around(group))).toBe(around(group))
  }
})
