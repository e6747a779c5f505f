// SPDX-License-Identifier: MIT

import OppiWire

/// Every invocation at every moment under every fault.
package enum Matrix {
  package struct Entry: Sendable {
    package let cell: Cell
    package let result: Cell.Result
  }

  package struct Part: Sendable {
    /// The run without a fault.
    package let plain: Entry
    package let entries: [Entry]
    /// The names of all its cells, played or not.
    package let names: [String]
  }

  /// A fault at a moment, with the cells in which it occurs once or permanently.
  package struct Blow: Sendable {
    /// The index among the blows of the invocation, plus the index of the invocation.
    package let number: Int
    package let cells: [Cell]
  }

  /// Plays the wanted blows and the runs without a fault; invocations run in parallel.
  package static func play(
    _ isWanted: @escaping @Sendable (Blow) -> Bool = { _ in true }
  ) async -> [Part] {
    await withTaskGroup(of: (Int, Part).self) { group in
      for (index, invocation) in Invocation.all.enumerated() {
        group.addTask { (index, play(invocation, from: index, isWanted)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func play(
    _ invocation: Invocation,
    from first: Int,
    _ isWanted: (Blow) -> Bool
  ) -> Part {
    let plain = Cell(invocation: invocation)
    let result = plain.play()
    let turn: [Moment] = invocation.isTurnShown ? [.turn] : []
    let blows = blows(to: invocation, at: [.start] + result.moments + turn, from: first)
    return Part(
      plain: Entry(cell: plain, result: result),
      entries: blows.filter(isWanted).flatMap(entries),
      names: blows.flatMap(\.cells).map(\.name)
    )
  }

  private static func blows(
    to invocation: Invocation,
    at moments: [Moment],
    from first: Int
  ) -> [Blow] {
    let pairs = moments.flatMap { moment in
      MatrixFault.all.filter { $0.places.contains(moment.place) && $0.applies(to: invocation) }
        .map { (moment, $0) }
    }
    return pairs.enumerated().map { number, pair in
      let (moment, fault) = pair
      let canLast = fault.canLast && moment != .turn
      let cells = (canLast ? [false, true] : [false]).map { isLasting in
        Cell(
          invocation: invocation,
          strike: Cell.Strike(moment: moment, fault: fault, isLasting: isLasting)
        )
      }
      return Blow(number: first + number, cells: cells)
    }
  }

  /// Plays a blow; if its moment does not recur, the result of the first cell holds for the second.
  private static func entries(of blow: Blow) -> [Entry] {
    var entries: [Entry] = []
    for cell in blow.cells {
      let isAgain = entries.last.map { entry in
        entry.result.moments.contains { cell.strike?.isBefore($0) == true }
      }
      let known = isAgain == false ? entries.last?.result : nil
      entries.append(Entry(cell: cell, result: known ?? cell.play()))
    }
    return entries
  }
}

extension MatrixFault {
  fileprivate func applies(to invocation: Invocation) -> Bool {
    !needsDeviceKeys || invocation.dialect.credential == .deviceKey
  }
}
