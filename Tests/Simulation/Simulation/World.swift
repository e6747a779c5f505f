// SPDX-License-Identifier: MIT

package import EventLoop
package import FakeServer
package import OppiClient
import OppiSystem
import OppiWire
import Synchronization

/// A simulated world: a network, a disk, servers and programs on one loop with virtual time,
/// repeatable by its seed.
package final class World: Sendable {
  private struct State {
    var story: [String] = []
    var servers: [VirtualServer] = []
    var terminals: [VirtualTerminal] = []
    var running: [Int: Program] = [:]
    var lastProgram = 1000
    var marks: Set<String> = []
    var tallies: [String: Tally] = [:]
    var violations: [String] = []
    var stayers: [Stayer] = []
    /// How often the programs were interrupted, because the world did not end.
    var interruptions = 0
  }

  package let kernel: VirtualKernel
  package let loop: EventLoop
  package let network: VirtualNetwork
  package let disk: VirtualDisk
  /// The other programs of the user's machine.
  package let programs = VirtualPrograms()
  private let state = Mutex(State())

  /// Receives each line of the story at once.
  private let listener: @Sendable (String) -> Void

  package init(seed: UInt64, listener: @escaping @Sendable (String) -> Void = { _ in }) {
    self.listener = listener
    let kernel = VirtualKernel(seed: seed)
    let network = VirtualNetwork(kernel: kernel, faults: .none)
    self.kernel = kernel
    self.network = network
    loop = EventLoop(on: kernel)
    disk = VirtualDisk(kernel: kernel, faults: .none)
  }

  /// The user's home folder, which all programs of the world share.
  package static let home = "/home/user"

  // MARK: Story and checks

  /// Adds a line to the world's story, with the virtual time.
  package func tell(_ line: String) {
    let milliseconds = kernel.elapsed / .milliseconds(1)
    let text = "[\(Int(milliseconds)) ms] \(line)"
    state.withLock { $0.story.append(text) }
    listener(text)
  }

  package var story: [String] { state.withLock(\.story) }

  /// Records that a rare path was taken.
  package func mark(_ name: String) {
    state.withLock { _ = $0.marks.insert(name) }
  }

  package var marks: Set<String> { state.withLock(\.marks) }

  /// Counts a reported delivery, for the dialect of the world's servers.
  func count(_ delivery: Tally) {
    let names = Set(servers.map(\.dialect.name))
    let dialect = names.count == 1 ? names.first ?? "" : "several"
    state.withLock { $0.tallies[dialect, default: Tally()].add(delivery) }
  }

  /// The reported deliveries by dialect.
  package var tallies: [String: Tally] { state.withLock(\.tallies) }

  /// Records a violation if the condition is false.
  package func check(_ isTrue: Bool, _ promise: @autoclosure () -> String) {
    guard !isTrue else { return }
    let text = promise()
    tell("BROKEN: \(text)")
    state.withLock { $0.violations.append(text) }
  }

  package var violations: [String] { state.withLock(\.violations) }

  // MARK: Randomness

  /// A random number from 0 to below the limit.
  package func number(below limit: Int) -> Int { network.number(below: limit) }

  package func happens(_ probability: Double) -> Bool { network.happens(probability) }

  /// A random duration from zero to the limit.
  package func time(upTo limit: Duration) -> Duration {
    limit * (Double(number(below: 1_000_001)) / 1_000_000)
  }

  package func choose<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  // MARK: Faults

  package func set(_ faults: Faults) {
    network.set(faults)
    disk.set(faults)
  }

  // MARK: Programs that are to stay

  /// The check that a program works as before the faults.
  typealias Stayer = @Sendable () async -> Void

  /// Registers a program that is to stay, for ``calmDown(delivering:)``.
  func expectToStay(_ check: @escaping Stayer) {
    state.withLock { $0.stayers.append(check) }
  }

  /// Returns the checks that were registered since the last call.
  func takeStayers() -> [Stayer] {
    state.withLock { state in
      defer { state.stayers = [] }
      return state.stayers
    }
  }

  // MARK: Servers

  /// Starts a server; by default the user's home is paired with it.
  package func addServer(
    _ configuration: FakeServer.Configuration,
    addresses: [String] = [],
    isPaired: Bool = true
  ) async throws -> VirtualServer {
    let number = state.withLock { $0.servers.count } + 1
    let server = VirtualServer(configuration, number: number, in: self)
    state.withLock { $0.servers.append(server) }
    network.setHost(
      server.host,
      addresses: addresses + [server.address],
      dead: Set(addresses)
    )
    try server.start()
    if isPaired { try await pair(server) }
    return server
  }

  /// Pairs the home without faults; for servers with device keys by an invite.
  private func pair(_ server: VirtualServer) async throws {
    let faults = network.faults.withLock(\.self)
    set(.none)
    defer { set(faults) }
    guard server.dialect.credential == .bearer else { return await enrol(server) }
    guard let entry = try server.paired(), let token = server.token else { return }
    let files = program().files
    let paths = XDGPaths(environment: [:], home: Self.home)
    try await ServerStore(paths: paths, files: files).update { $0.servers.append(entry) }
    try await CredentialStore(paths: paths, environment: [:], files: files)
      .store(token, for: entry.id)
  }

  private func enrol(_ server: VirtualServer) async {
    let paired = await program().run(["pair", server.inviteText() ?? ""])
    check(paired.status == 0, "a server was not paired without faults: \(paired.errors)")
  }

  package var servers: [VirtualServer] { state.withLock(\.servers) }

  // MARK: Programs

  /// Prepares a program, which does not run yet.
  ///
  /// It dies after `calls` system calls, if given. Without a terminal it has pipes only.
  /// `environment` extends `HOME` and `PATH`.
  package func program(
    dyingAfter calls: Int? = nil,
    on terminal: VirtualTerminal? = nil,
    notifying desktop: VirtualDesktop? = nil,
    environment: [String: String] = [:]
  ) -> Program {
    let id = state.withLock { state in
      state.lastProgram += 1
      return state.lastProgram
    }
    return Program(
      in: self,
      id: id,
      home: Self.home,
      calls: calls,
      terminal: terminal,
      desktop: desktop,
      environment: environment
    )
  }

  /// The environment of another program of the user, which runs until the world ends.
  package func process() -> Context {
    let program = program()
    begin(program)
    return program.context
  }

  /// Starts a program on a new terminal.
  package func start(
    _ words: [String],
    columns: Int = 80,
    rows: Int = 30,
    environment: [String: String] = [:]
  ) -> VirtualTerminal {
    let terminal = state.withLock { state in
      let number = state.terminals.count + 1
      let terminal = VirtualTerminal(number: number, columns: columns, rows: rows, on: loop)
      state.terminals.append(terminal)
      return terminal
    }
    let program = program(
      on: terminal,
      environment: environment.merging(["TERM": "xterm"]) { given, _ in given }
    )
    terminal.begin(program)
    Task(executorPreference: loop) { terminal.end(await program.run(words)) }
    return terminal
  }

  /// Whether a descriptor of the network or of a terminal is ready.
  func isReady(_ interest: EventLoop.Interest) -> Bool {
    guard interest.descriptor < 0 else { return network.isReady(interest) }
    let terminals = state.withLock(\.terminals)
    return terminals.lazy.compactMap { $0.isReady(interest.descriptor) }.first ?? true
  }

  /// Breaks the reference cycles of the world, so that it can be freed.
  func dissolve() {
    kernel.connect(isReady: { _ in false }, onStandstill: {})
    state.withLock { state in
      state.servers = []
      state.terminals = []
      state.running = [:]
      state.stayers = []
    }
  }

  func begin(_ program: Program) {
    state.withLock { $0.running[program.number] = program }
  }

  func end(_ program: Program) {
    state.withLock { $0.running[program.number] = nil }
  }

  func isRunning(_ program: Int) -> Bool { state.withLock { $0.running[program] != nil } }

  /// Cuts the power of the user's machine: kills all programs, and the disk may lose anything that
  /// was not written through.
  package func losePower() {
    mark("power lost")
    for program in running { program.kill() }
    disk.losePower()
  }

  var running: [Program] {
    state.withLock { $0.running.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Whether the programs have not ended although they were interrupted repeatedly.
  var isInterruptedInVain: Bool { state.withLock { $0.interruptions > 2 } }

  /// Records a violation for a world that does not end, and interrupts its programs.
  func giveUp() {
    check(false, "the world does not end")
    state.withLock { $0.interruptions += 1 }
    for program in running { program.interrupt() }
  }
}
