export interface Box {
  width: number
  height: number
}

const GAP = 8
const RATIO = 16 / 9

/** How many columns show `count` tiles largest in the box, and how large. */
export const fitTiles = (count: number, { width, height }: Box): Box & { columns: number } => {
  // A tall tile shows a face as well as a wide one: on a phone held upright two people stand above one another.
  const tallest = width < height ? 1.25 : 0.75
  let best = { columns: 1, width: 0, height: 0 }
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const rows = Math.ceil(count / columns)
    const cellWidth = (width - GAP * (columns - 1)) / columns
    const cellHeight = (height - GAP * (rows - 1)) / rows
    const tileHeight = Math.min(cellHeight, cellWidth * tallest)
    const tileWidth = Math.min(cellWidth, tileHeight * RATIO)
    if (tileWidth * tileHeight > best.width * best.height) best = { columns, width: tileWidth, height: tileHeight }
  }
  return best
}

/** As many tiles as can still be told apart. */
export const tilesPerPage = ({ width, height }: Box) =>
  Math.max(2, Math.min(25, Math.floor(width / 150) * Math.floor(height / 110)))
