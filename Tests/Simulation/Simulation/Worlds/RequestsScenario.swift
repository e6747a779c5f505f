// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiSystem
import OppiText
import Synchronization

/// Up to hundreds of requests in sequence in one watch: the last can be approved like the first,
/// and a press decides the request that was shown.
enum RequestsScenario {
  /// The pending requests of a session, one at a time.
  private final class Asker: Sendable {
    private struct State {
      var session: String?
      var number = 0
      var last = 0
    }

    private let state = Mutex(State())

    /// Answers each query with another pending request, up to the last.
    func intervene(at step: Step) -> Intervention {
      guard case .request(let request, _) = step else { return .proceed }
      if request.target.hasSuffix("/respond") { return .answer(json: ["ok": true]) }
      guard request.target.hasSuffix("/permissions/pending") else { return .proceed }
      let (id, session) = state.withLock { state in
        if state.session != nil { state.number = min(state.number + 1, state.last) }
        return ("request\(state.number)", state.session)
      }
      guard let session else { return .proceed }
      return .answer(json: Self.pending(id, in: session))
    }

    func begin(in session: String, count: Int) {
      state.withLock { state in (state.session, state.last) = (session, count) }
    }

    var isOver: Bool { state.withLock { $0.number == $0.last } }

    private static func pending(_ id: String, in session: String) -> JSONValue {
      let request: JSONValue = [
        "id": .string(id), "sessionId": .string(session), "tool": "bash",
        "input": ["command": .string("echo \(id)")], "displaySummary": .string("echo \(id)"),
        "timeoutAt": 1, "expires": false,
      ]
      return ["pending": .array([request]), "serverTime": 1]
    }
  }

  static func play(_ world: World) async throws {
    let asker = Asker()
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.interceptor = { asker.intervene(at: $0) }
    let server = try await world.addServer(configuration)
    guard let session = await world.session(asking: ["-q", "-w", "demo", "hello"]) else { return }
    try await world.loop.sleep(for: .seconds(60))
    // More requests than a watch remembers, or only a few.
    let count = world.happens(0.08) ? 505 + world.number(below: 20) : 1 + world.number(below: 30)
    if count > 500 { world.mark("hundreds") }
    let desk = WatchDesk(in: world)
    // By then the desktop is connected.
    try await world.loop.sleep(for: .seconds(40))
    asker.begin(in: session, count: count)
    let isOver = await desk.wait(atMost: .seconds(90 + 30 * count)) { asker.isOver }
    world.check(isOver, "the server gets no further queries")
    try await world.loop.sleep(for: .seconds(30))
    let offer = desk.offer(in: session)
    world.check(
      offer?.body.contains("\necho request\(count)\n") == true,
      "the last one is not shown"
    )
    if let offer {
      desk.press(isApproval: true, on: offer)
      let isDecided = await desk.wait(atMost: .seconds(20)) {
        server.decisions.contains { $0.request == "request\(count)" && $0.action == "allow" }
      }
      world.check(isDecided, "pressing the button of request \(count) has no effect")
    }
    WatchCheck(world: world, desk: desk).checkDecisions([server])
    await desk.end()
  }
}
