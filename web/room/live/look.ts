import { useState } from 'react'
import { kept } from '../../ui/storage.ts'

/** Where the person sees themselves. Alone on the stage they are always in the grid. */
export type SelfView = 'grid' | 'floating' | 'hidden'
/** Whether a picture fills its tile, cut at its edges, or is shown whole. */
export type Fit = 'fill' | 'whole'

const KEY = 'lectern.look'
const atFirst = { selfView: 'grid' as SelfView, fit: 'fill' as Fit, place: { x: 1, y: 1 } }
type Choices = typeof atFirst

const remembered = (): Choices => {
  try {
    return { ...atFirst, ...JSON.parse(kept.get(KEY) ?? '{}') }
  } catch {
    return atFirst
  }
}

/** How the person wants the stage, in this call and the next. */
export const useLook = () => {
  const [look, setLook] = useState(remembered)
  const change = (choice: Partial<Choices>) => {
    const next = { ...look, ...choice }
    kept.set(KEY, JSON.stringify(next))
    setLook(next)
  }
  return { ...look, change }
}

export type Look = ReturnType<typeof useLook>
