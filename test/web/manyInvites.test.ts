import { expect, test } from 'vitest'
import { readLines, toCsv } from '../../web/console/people/manyInvites.ts'

const labelsOf = (text: string) => readLines(text).map(({ label }) => label)

test('every line is one person, however it was written', () => {
  expect(labelsOf('Ada Lovelace\r\n\r\n  grace@example.com  \n')).toEqual(['Ada Lovelace', 'grace@example.com'])
  expect(labelsOf('\ufeffName;Email\n"Lovelace; Ada";ada@example.com')).toEqual(['Lovelace; Ada, ada@example.com'])
  expect(labelsOf('Имя,Почта\nСофья,sofia@example.com')).toEqual(['Софья, sofia@example.com'])
  expect(labelsOf('"Said ""hi""",x\n,,\nplain "quote')).toEqual(['Said "hi", x', 'plain "quote'])
  expect(labelsOf('a\tb\n"never closed, x')).toEqual(['a, b', '"never closed, x'])
})

test('what is wrong is told by line', () => {
  expect(readLines(`Ada\n\nada\n${'x'.repeat(201)}\nb\u0007b`)).toMatchObject([
    { number: 1, problem: null },
    { number: 3, problem: 'repeated', first: 1 },
    { number: 4, problem: 'tooLong' },
    { number: 5, problem: 'invalid' },
  ])
})

test('the file has no formulas', () => {
  const csv = toCsv(['For', 'Link'], [{ label: '=HYPERLINK("x")', url: 'https://example.com/invite#a' }])
  expect(csv).toBe('\ufeff"For","Link"\r\n"\'=HYPERLINK(""x"")","https://example.com/invite#a"\r\n')
})
