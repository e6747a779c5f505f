// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Synchronization

/// Requests that change or end under their ids, on servers of which one may be frozen or down: only
/// a request that was shown is approved, and a decision waits for no other server.
enum ChangesScenario {
  /// The gate of a server with one pending call, whose text can change.
  private final class Gate: Sendable {
    struct Decision: Sendable {
      var action: String
      var command: String
    }

    private struct State {
      var command: String
      var isPending = true
      var isFrozen = false
      var decisions: [Decision] = []
    }

    let id: String
    private let state: Mutex<State>

    init(id: String, command: String) {
      self.id = id
      state = Mutex(State(command: command))
    }

    var command: String { state.withLock(\.command) }
    var decisions: [Decision] { state.withLock(\.decisions) }
    var isPending: Bool { state.withLock(\.isPending) }

    func change(to command: String) { state.withLock { $0.command = command } }
    func settle() { state.withLock { $0.isPending = false } }
    /// Answers nothing from now on, as a stopped process does.
    func freeze(_ isFrozen: Bool) { state.withLock { $0.isFrozen = isFrozen } }

    func intervene(at step: Step) -> Intervention {
      guard !state.withLock(\.isFrozen) else { return .hang }
      guard case .request(let request, _) = step else { return .proceed }
      if request.target.hasPrefix("/permissions/pending") { return .answer(json: pending) }
      guard request.target == "/permissions/\(id)/respond" else { return .proceed }
      return decide((try? JSONValue(parsing: request.body))?["action"].string ?? "")
    }

    private var pending: JSONValue {
      let state = state.withLock(\.self)
      let call: JSONValue = [
        "id": .string(id), "sessionId": "S", "tool": "bash",
        "input": ["command": .string(state.command)], "displaySummary": .string(state.command),
        "timeoutAt": 1, "expires": false,
      ]
      return ["pending": .array(state.isPending ? [call] : []), "serverTime": 1]
    }

    private func decide(_ action: String) -> Intervention {
      state.withLock { state in
        guard state.isPending else {
          return .answer(status: 404, error: "Permission request not found")
        }
        state.isPending = false
        state.decisions.append(Decision(action: action, command: state.command))
        return .answer(json: ["ok": true])
      }
    }
  }

  /// What happens between the list and the decision.
  private enum Event: CaseIterable {
    case nothing, change, changeOfTwin, end, clock
  }

  /// The state of another server at the decision.
  private enum Neighbour: CaseIterable {
    case well, frozen, down
  }

  private static let names = ["studio", "cloud", "attic"]

  static func play(_ world: World) async throws {
    let isTwin = world.happens(0.4)
    let gates = names.map { name in
      Gate(id: isTwin ? "same00001111" : "\(name)00001111", command: "echo \(name)")
    }
    var servers: [VirtualServer] = []
    for (name, gate) in zip(names, gates) {
      var configuration = FakeServer.Configuration()
      (configuration.name, configuration.dialect) = (name, .multiplexed)
      configuration.interceptor = { gate.intervene(at: $0) }
      servers.append(try await world.addServer(configuration))
    }
    guard await show(gates[0], isTwin: isTwin, in: world) else { return }
    let event = world.choose(Event.allCases)
    switch event {
    case .nothing: break
    case .change: gates[0].change(to: "rm -rf ~")
    case .changeOfTwin: gates[1].change(to: "rm -rf ~")
    case .end: gates[0].settle()
    case .clock: world.jumpClock(within: .zero)
    }
    let neighbour = world.choose(Neighbour.allCases)
    switch neighbour {
    case .well: break
    case .frozen: gates[2].freeze(true)
    case .down: await servers[2].end(world.choose([.inOrder, .killed]))
    }
    world.mark("\(event), \(neighbour)")
    let faults = world.happens(0.3) ? world.drawNetworkFaults() : .none
    world.set(faults)
    let isApproval = world.happens(0.7)
    let name = world.choose(names(of: gates[0], isTwin: isTwin))
    let program = world.program()
    let outcome = await program.run([isApproval ? "approve" : "deny", "--json", "--", name])
    world.set(.none)
    world.checkLeavings(of: program)
    gates[2].freeze(false)
    check(outcome, gates, isApproval: isApproval, in: world)
    guard !World.isTroubled(faults) else { return }
    let isRefused = event == .end || event == .change && isApproval
    // Another request with this start may be on a server that does not answer.
    let isUnsure = event == .end && neighbour != .well && gates[0].id.count > name.count
    let status = outcome.status ?? -1
    let isExpected = isUnsure ? [69, 75].contains(status) : status == (isRefused ? 5 : 0)
    world.check(isExpected, "status \(status) after \(event): \(outcome)")
    world.check(outcome.elapsed <= .seconds(2), "waited for another server: \(outcome.elapsed)")
  }

  /// The names by which a request can be decided while another server does not answer.
  private static func names(of gate: Gate, isTwin: Bool) -> [String] {
    let full = "\(names[0])/\(gate.id)"
    return isTwin ? [full] : [full, gate.id, String(gate.id.prefix(6))]
  }

  /// Shows the request in one of the ways in which a user can read it.
  private static func show(_ gate: Gate, isTwin: Bool, in world: World) async -> Bool {
    let full = isTwin ? "\(names[0])/\(gate.id)" : gate.id
    let words = world.choose([
      ["approvals"], ["approvals", "--json"], ["approvals", "show", full],
      ["approvals", "show", "--json", full],
    ])
    let outcome = await world.program().run(words)
    let isShown = outcome.status == 0 && outcome.output.contains(gate.command)
    world.check(isShown, "the request is not shown: \(outcome)")
    return isShown
  }

  private static func check(
    _ outcome: Program.Outcome,
    _ gates: [Gate],
    isApproval: Bool,
    in world: World
  ) {
    let action = isApproval ? "allow" : "deny"
    let decisions = gates[0].decisions
    for (name, gate) in zip(names, gates).dropFirst() {
      world.check(gate.decisions.isEmpty, "the request of \(name) was decided")
    }
    world.check(decisions.count <= 1, "decided \(decisions.count) times")
    for decision in decisions {
      world.check(decision.action == action, "\(decision.action) instead of \(action)")
      let isShown = !isApproval || decision.command == "echo \(names[0])"
      world.check(isShown, "approved, but not shown: \(decision.command)")
    }
    if outcome.status == 0 { world.check(!decisions.isEmpty, "reported as decided, but it is not") }
    world.check(outcome.elapsed <= .seconds(12), "took \(outcome.elapsed)")
  }
}
