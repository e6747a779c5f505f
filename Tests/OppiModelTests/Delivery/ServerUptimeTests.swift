// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct ServerUptimeTests {
  /// Asks a server of an age about a moment 1.2 s ago until the answer decides; returns the answer,
  /// and how often the server was asked.
  private static func ask(
    age: Duration,
    roundingBy step: Duration = .seconds(1)
  ) -> (answer: ServerUptime.Answer, count: Int) {
    var uptime = ServerUptime()
    var now = Duration.zero
    for count in 1...100 {
      let shown = step * Int((age + now) / step)
      let answer = uptime.resolve(shown, since: .milliseconds(-1200), at: now)
      guard case .undecided(let next) = answer else { return (answer, count) }
      now = next
    }
    return (.undecided(nextLook: now), 100)
  }

  @Test(
    "a server that was started before the moment is the same when its uptime changes",
    arguments: [(1300, 8), (1500, 6), (1900, 2), (2000, 1), (2199, 1), (60_000, 1)]
  )
  func same(age: Int, count: Int) {
    let asked = Self.ask(age: .milliseconds(age))
    #expect(asked == (.sameProcess, count))
  }

  @Test(
    "a server that was started after the moment is another one, which is known after 1.1 s",
    arguments: [(0, 1), (199, 1), (700, 6), (1000, 12), (1199, 12)]
  )
  func other(age: Int, most: Int) {
    // An uptime that is not rounded never decides.
    for step in [1000, 1] {
      let asked = Self.ask(age: .milliseconds(age), roundingBy: .milliseconds(step))
      #expect(asked.answer == .otherProcess, "\(asked)")
      #expect(asked.count <= (step == 1 ? 12 : most), "\(asked)")
    }
  }

  @Test("a server without an uptime is another one")
  func none() {
    var uptime = ServerUptime()
    #expect(uptime.resolve(nil, since: .zero, at: .zero) == .otherProcess)
  }
}
