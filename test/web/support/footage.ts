import type { BrowserContext } from '@playwright/test'

export interface Look {
  wall: string
  skin: string
  hair: string
  clothes: string
  /** How the hair falls. */
  cut: 'short' | 'long' | 'bun'
  hasGlasses?: boolean
  /** What hangs or stands behind. */
  behind: 'board' | 'window' | 'shelf' | 'plant'
}

/** The camera shows somebody, simply drawn, instead of the browser's test card. */
export const withDrawnPerson = (context: BrowserContext, look: Look) =>
  context.addInitScript(person => {
    const canvas = document.createElement('canvas')
    canvas.width = 640
    canvas.height = 360
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D
    const fill = (colour: string, shape: () => void) => {
      pen.fillStyle = colour
      pen.beginPath()
      shape()
      pen.fill()
    }
    const box = (colour: string, ...place: [number, number, number, number]) =>
      fill(colour, () => pen.roundRect(...place, 4))
    const oval = (colour: string, x: number, y: number, width: number, height: number) =>
      fill(colour, () => pen.ellipse(x, y, width, height, 0, 0, 2 * Math.PI))

    const behind = {
      board: () => {
        box('#8a6a4a', 60, 30, 520, 230)
        box('#2f5146', 70, 40, 500, 210)
        // Nothing to read: the person sees themselves as in a mirror.
        pen.strokeStyle = '#dfe9e2'
        pen.lineWidth = 3
        pen.strokeRect(110, 80, 110, 110)
        pen.strokeRect(110, 80, 70, 70)
        pen.beginPath()
        pen.moveTo(440, 200)
        pen.lineTo(540, 200)
        pen.lineTo(490, 90)
        pen.closePath()
        pen.stroke()
      },
      window: () => {
        box('#f4f1ea', 380, 20, 220, 220)
        box('#a9cfe4', 392, 32, 92, 196)
        box('#a9cfe4', 496, 32, 92, 196)
        oval('#8fb59a', 440, 226, 44, 40)
        oval('#7da68a', 548, 230, 40, 52)
        box(person.wall, 370, 240, 240, 60)
      },
      shelf: () => {
        for (const y of [70, 160]) {
          box('#8a6a4a', 30, y + 62, 240, 10)
          for (const [n, colour] of ['#b04a3f', '#3f6d8a', '#d9b25a', '#5c7d4f', '#7a5a86', '#c9803e'].entries())
            box(colour, 40 + n * 36, y + (n % 3) * 8, 26, 62 - (n % 3) * 8)
        }
      },
      plant: () => {
        box('#b5653a', 500, 250, 76, 70)
        for (const [x, y, turn] of [
          [510, 190, -0.5],
          [540, 160, 0],
          [572, 190, 0.5],
        ] as const)
          fill('#4f7d54', () => pen.ellipse(x, y, 22, 72, turn, 0, 2 * Math.PI))
        box('#fff', 60, 50, 150, 110)
        box('#e2b653', 72, 62, 126, 86)
      },
    }

    const draw = (frame: number) => {
      const sway = Math.sin(frame / 9) * 4
      const [x, y] = [320 + sway, 168 + Math.sin(frame / 5) * 2]
      box(person.wall, 0, 0, 640, 360)
      behind[person.behind]()
      if (person.cut === 'long') fill(person.hair, () => pen.roundRect(x - 84, y - 70, 168, 210, 70))
      oval(person.clothes, 320 + sway / 2, 370, 170, 112)
      box(person.skin, x - 26, y + 60, 52, 54)
      oval(person.skin, x, y + 108, 40, 20)
      if (person.cut === 'bun') oval(person.hair, x, y - 104, 34, 30)
      oval(person.hair, x, y - 26, 80, 78)
      oval(person.skin, x - 66, y + 8, 12, 18)
      oval(person.skin, x + 66, y + 8, 12, 18)
      oval(person.skin, x, y + 6, 64, 82)
      // The fringe.
      fill(person.hair, () => pen.ellipse(x - 10, y - 62, 66, 30, -0.12, 0, 2 * Math.PI))
      const isBlinking = frame % 40 < 2
      for (const side of [-1, 1]) {
        const eye = x + side * 26
        box(person.hair, eye - 15, y - 20, 30, 5)
        if (isBlinking) box('#4a3a32', eye - 10, y + 2, 20, 3)
        else {
          oval('#fff', eye, y + 2, 11, 8)
          oval('#33261f', eye + sway / 4, y + 2, 5, 6)
        }
        if (person.hasGlasses) {
          pen.strokeStyle = '#2b2b33'
          pen.lineWidth = 4
          pen.beginPath()
          pen.roundRect(eye - 20, y - 13, 40, 30, 10)
          pen.stroke()
        }
      }
      pen.strokeStyle = '#00000033'
      pen.lineWidth = 4
      pen.beginPath()
      pen.moveTo(x, y + 14)
      pen.quadraticCurveTo(x + 9, y + 30, x - 2, y + 32)
      pen.stroke()
      pen.strokeStyle = '#a34a46'
      pen.lineWidth = 5
      pen.beginPath()
      pen.moveTo(x - 20, y + 50)
      pen.quadraticCurveTo(x, y + 62 + Math.sin(frame / 4) * 3, x + 20, y + 50)
      pen.stroke()
    }
    let frame = 0
    draw(frame)
    setInterval(() => draw(++frame), 150)

    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async constraints => {
      if (!constraints?.video) return open(constraints)
      const pictures = canvas.captureStream(8)
      const sound = constraints.audio ? (await open({ audio: constraints.audio })).getTracks() : []
      return new MediaStream([...pictures.getTracks(), ...sound])
    }
  }, look)

/** A class, and who teaches it. */
export const looks = {
  teacher: {
    wall: '#d9d2c3',
    skin: '#e8b792',
    hair: '#4a2f22',
    clothes: '#3f4f86',
    cut: 'bun',
    hasGlasses: true,
    behind: 'board',
  },
  grace: { wall: '#e6dcc9', skin: '#c98d63', hair: '#241a17', clothes: '#b5573f', cut: 'long', behind: 'window' },
  alan: { wall: '#c8d5d9', skin: '#f0c7a4', hair: '#7a4d2a', clothes: '#4f7d6a', cut: 'short', behind: 'shelf' },
  mary: { wall: '#e3d3d6', skin: '#8d5a3c', hair: '#1d1512', clothes: '#d9a441', cut: 'short', behind: 'plant' },
} satisfies Record<string, Look>
