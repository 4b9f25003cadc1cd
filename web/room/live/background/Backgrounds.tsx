import { useBackground } from './background.ts'
import Choice from './Choice.tsx'

/** During the call. */
export const Backgrounds = () => {
  const { chosen, isPending, choose } = useBackground()
  return <Choice chosen={chosen} isPending={isPending} onChoose={background => void choose(background)} />
}
