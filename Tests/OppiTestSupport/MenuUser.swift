// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import Simulation
import Synchronization

/// A simulated user, who answers each menu after a pause.
final class MenuUser: Sendable {
  private let menus = Mutex<[[String]]>([])

  /// Selects rows by their prefix, or types the text; `nil` leaves the menu.
  convenience init(in world: World, pausing pause: Duration = .seconds(2), _ words: String?...) {
    self.init(in: world, pausing: pause, words.map { word in word.map { ($0, "") } })
  }

  /// Selects the row of a request, which has a prefix and a text, and then other rows; `beforeLast`
  /// runs before the last one.
  convenience init(
    in world: World,
    _ row: (prefix: String, text: String),
    _ words: [String],
    beforeLast: @escaping @Sendable () async -> Void
  ) {
    self.init(in: world, [row] + words.map { ($0, "") }, beforeLast: beforeLast)
  }

  private init(
    in world: World,
    pausing pause: Duration = .seconds(2),
    _ words: [(prefix: String, text: String)?],
    beforeLast: @escaping @Sendable () async -> Void = {}
  ) {
    let rest = Mutex(words[...])
    world.programs.put("rofi") { [self, loop = world.loop] program in
      let rows = String(decoding: program.input, as: UTF8.self).split(separator: "\n")
        .map(String.init)
      menus.withLock { $0.append(rows) }
      try? await loop.sleep(for: pause)
      guard let word = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return ChildProcess.Outcome(status: 1)
      }
      if rest.withLock(\.isEmpty) { await beforeLast() }
      let index = rows.firstIndex { row in
        row.hasPrefix(word.prefix) && (word.text.isEmpty || row.contains(word.text))
      }
      let answer = rows.isEmpty ? word.prefix : index.map(String.init) ?? "-1"
      return ChildProcess.Outcome(output: Array((answer + "\n").utf8), status: 0)
    }
    world.programs.put("xdg-terminal-exec", printing: "")
  }

  /// The rows of each menu shown.
  var seen: [[String]] { menus.withLock { $0 } }
}

extension World {
  /// Runs `oppi pick` without a terminal, and checks that it leaves nothing open.
  func pick(
    _ words: String...,
    notifying desktop: VirtualDesktop? = nil
  ) async -> Simulation.Program.Outcome {
    let program = program(notifying: desktop, environment: ["DISPLAY": ":9"])
    let outcome = await program.run(["pick"] + words)
    checkLeavings(of: program)
    return outcome
  }
}
