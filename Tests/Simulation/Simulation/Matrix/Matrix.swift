// SPDX-License-Identifier: MIT

/// Every invocation at every moment under every fault.
package enum Matrix {
  /// A cell with what came of it.
  package struct Entry: Sendable {
    package let cell: Cell
    package let result: Cell.Result
  }

  /// An invocation's part of the matrix.
  package struct Part: Sendable {
    /// The run in which nothing goes wrong.
    package let plain: Entry
    package let entries: [Entry]
  }

  /// Plays the cells that are wanted, several at the same time, beside the runs without a fault.
  package static func play(
    _ isWanted: @escaping @Sendable (Cell) -> Bool = { _ in true }
  ) async -> [Part] {
    await withTaskGroup(of: (Int, Part).self) { group in
      for (index, invocation) in Invocation.all.enumerated() {
        group.addTask { (index, play(invocation, isWanted)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func play(_ invocation: Invocation, _ isWanted: (Cell) -> Bool) -> Part {
    let plain = Cell(invocation: invocation)
    let result = plain.play()
    let cells = cells(of: invocation, at: [.start] + result.moments).filter(isWanted)
    return Part(
      plain: Entry(cell: plain, result: result),
      entries: cells.map { Entry(cell: $0, result: $0.play()) }
    )
  }

  private static func cells(of invocation: Invocation, at moments: [Moment]) -> [Cell] {
    moments.flatMap { moment in
      MatrixFault.all.filter { $0.places.contains(moment.place) }.flatMap { fault in
        (fault.canLast ? [false, true] : [false]).map { isLasting in
          Cell(
            invocation: invocation,
            strike: Cell.Strike(moment: moment, fault: fault, isLasting: isLasting)
          )
        }
      }
    }
  }
}
