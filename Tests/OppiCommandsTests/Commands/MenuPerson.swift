// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import Simulation
import Synchronization

/// A simulated user, who answers each menu after a pause.
final class MenuPerson: Sendable {
  private let menus = Mutex<[[String]]>([])

  /// Selects rows by their prefix, or types the text; `nil` leaves the menu.
  init(in world: World, pausing pause: Duration = .seconds(2), _ words: String?...) {
    let rest = Mutex(words[...])
    world.programs.put("rofi") { [self, loop = world.loop] program in
      let rows = String(decoding: program.input, as: UTF8.self).split(separator: "\n")
        .map(String.init)
      menus.withLock { $0.append(rows) }
      try? await loop.sleep(for: pause)
      guard let word = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return ChildProcess.Outcome(status: 1)
      }
      let index = rows.firstIndex { $0.hasPrefix(word) }.map(String.init)
      let answer = rows.isEmpty ? word : index ?? "-1"
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
