// SPDX-License-Identifier: MIT

/// The calls of one turn, and which of them a message is about.
///
/// Servers name calls by ids, older ones do not; a call may be known from its permission request
/// before it has an id. Whether a start of a tool is a plan or the execution depends on whether the
/// model is still writing, and on how the server is used to tell.
struct ToolCalls: Sendable {
  /// The most bytes of a call's arguments and of its details that are kept.
  private static let argumentLimit = 32 * 1024

  /// In the order in which the model made them.
  private(set) var all: [ToolCallActivity] = []
  /// How many finished calls before ``all`` are no longer kept.
  private(set) var droppedCount = 0
  /// How many calls there have been.
  private(set) var count = 0
  /// Whether a tool has run since the agent's last message.
  private(set) var haveRun = false
  private(set) var phase = Phase.writing
  /// Whether the server tells of a call while the model writes it, and once more when it runs.
  private var repeatsStarts = false
  private var answeredRequests: Set<String> = []

  /// What a start of a tool means.
  enum Phase: Sendable, Equatable {
    /// The model writes a message and in it calls.
    case writing
    /// The message is complete and its calls are made; older servers do not announce them before.
    case executing(announced: Bool)
  }

  init() {}

  /// Begins another turn's calls on the same server.
  init(after last: ToolCalls) {
    repeatsStarts = last.repeatsStarts
  }

  /// Whether the model has written a call that was not made.
  var hasPlanned: Bool { all.contains { $0.state == .planned } }

  static func bounded(_ arguments: JSONValue) -> JSONValue {
    arguments.bounded(bytes: argumentLimit)
  }

  private static func bounded(_ id: String) -> String { id.head(bytes: 200) }

  // MARK: - The model's messages

  /// Takes it that the model writes, or is about to.
  mutating func beginMessage() { phase = .writing }

  /// Takes it that the model's message is complete.
  mutating func endMessage() {
    phase = .executing(announced: hasPlanned)
    haveRun = false
  }

  // MARK: - Calls

  mutating func start(_ call: ToolCall, at now: Timestamp) -> [ActivityChange] {
    let arguments = Self.bounded(call.arguments)
    let known = index(of: call, arguments)
    let isExecution =
      switch phase {
      case .writing: false
      case .executing(let announced): known != nil || !(announced || repeatsStarts)
      }
    if phase == .writing, known != nil { repeatsStarts = true }
    if !isExecution { phase = .writing }
    let index = identify(known, as: call.id, tool: call.tool)
    guard all[index].isOpen else { return [] }
    all[index].name(call.tool)
    all[index].arguments = arguments
    guard isExecution else { return known == nil ? [.toolPlanned(all[index])] : [] }
    all[index].lineChange = LineChange(arguments: call.arguments)
    haveRun = true
    return all[index].run(at: now)
  }

  /// Takes an output; the first one of a call that waits for approval shows that it has run, unless
  /// it is the server's refusal.
  mutating func print(_ output: ToolOutput, at now: Timestamp) -> [ActivityChange] {
    let known = index(of: output.callID, tool: "")
    let index = identify(known, as: output.callID, tool: "")
    guard all[index].isOpen, !all[index].isPreview(output) else { return [] }
    haveRun = true
    return resolve(callAt: index, as: ApprovalOutcome(refusal: output.text) ?? .approved)
      + all[index].run(at: now) + all[index].take(output)
  }

  /// Takes the end of a call; one that has ended before changes nothing.
  mutating func end(
    _ id: String?,
    _ tool: String,
    isError: Bool,
    details: JSONValue,
    at now: Timestamp
  ) -> [ActivityChange] {
    let index = identify(index(of: id, tool: tool), as: id, tool: tool)
    guard all[index].isOpen else { return [] }
    all[index].name(tool)
    haveRun = true
    let changes = resolve(callAt: index, as: isError ? .denied : .approved)
    // One that waited and failed without a word never ran.
    if isError, !changes.isEmpty { all[index].state = .rejected(reason: "") }
    return changes + all[index].end(isError: isError, details: details, at: now)
  }

  /// Ends all calls: their turn is over.
  ///
  /// Where the server has reported that, it has refused those that wait for approval.
  mutating func abandon(at now: Timestamp, isEndKnown: Bool) -> [ActivityChange] {
    all.indices.filter { all[$0].isOpen }.flatMap { index in
      let changes = resolve(callAt: index, as: .cancelled)
      let isRefused = changes.isEmpty || isEndKnown
      return changes + all[index].abandon(at: now, isRefused: isRefused)
    }
  }

  // MARK: - Trace

  /// Takes it that a message came with the trace; the calls behind it stand there, too.
  mutating func loadMessage() { haveRun = false }

  /// Takes a call of the trace, which belongs to a complete message.
  mutating func load(_ call: ToolCall, at start: Timestamp) -> [ActivityChange] {
    phase = .executing(announced: false)
    return self.start(call, at: start)
  }

  /// Takes the result of a call in the trace, which has the whole output.
  mutating func load(_ result: TraceTurn.Result, at end: Timestamp) -> [ActivityChange] {
    guard let id = result.callID,
      let index = all.lastIndex(where: { $0.wireID == id && $0.isOpen })
    else { return [] }
    all[index].imageCount = result.imageCount
    let isNews = result.output != all[index].output.text
    let changes = isNews ? print(ToolOutput(whole: result), at: end) : []
    return changes
      + self.end(id, result.tool, isError: result.isError, details: result.details, at: end)
  }

  /// Takes it that what comes next is told live again.
  mutating func endLoading(in phase: Phase) { self.phase = phase }

  // MARK: - Approvals

  /// Whether a request was taken before, and asks for the same as it did then.
  func hasTaken(_ request: PermissionRequest) -> Bool {
    if answeredRequests.contains(request.id) { return true }
    guard let pending = all.lazy.compactMap(\.pendingApproval).first(where: { $0.id == request.id })
    else { return false }
    return pending.proposesSame(as: request)
  }

  /// Takes a request and finds the call that it holds back.
  ///
  /// That is the latest of the same tool with the same arguments; a call that nobody has told of is
  /// known from its request alone.
  mutating func ask(for request: PermissionRequest, at now: Timestamp) -> [ActivityChange] {
    let arguments = Self.bounded(request.input)
    let known =
      all.lastIndex { $0.pendingApproval?.id == request.id }
      ?? openIndex(.running, request.tool, arguments)
      ?? openIndex(.planned, request.tool, arguments)
    let index = known ?? add(id: nil, tool: request.tool)
    all[index].arguments = arguments
    let plan = known == nil ? [ActivityChange.toolPlanned(all[index])] : []
    return plan + all[index].wait(for: request, at: now)
  }

  private func openIndex(
    _ state: ToolCallState,
    _ tool: String,
    _ arguments: JSONValue
  ) -> Int? {
    all.lastIndex { $0.state == state && $0.tool == tool && $0.arguments == arguments }
  }

  /// Takes what became of a request: an answer, or its end.
  mutating func resolve(approval id: String, as outcome: ApprovalOutcome) -> [ActivityChange] {
    guard let index = all.lastIndex(where: { $0.pendingApproval?.id == id }) else { return [] }
    return resolve(callAt: index, as: outcome)
  }

  private mutating func resolve(
    callAt index: Int,
    as outcome: ApprovalOutcome
  ) -> [ActivityChange] {
    guard let request = all[index].pendingApproval else { return [] }
    answeredRequests.insert(request.id)
    return all[index].resolve(as: outcome)
  }

  // MARK: - Finding calls

  /// Finds the call that a start is about; without an id it is the latest planned one of the tool.
  private func index(of call: ToolCall, _ arguments: JSONValue) -> Int? {
    guard let id = call.id else {
      return all.lastIndex { $0.wireID == nil && $0.tool == call.tool && $0.state == .planned }
    }
    return index(id: id) { $0.tool == call.tool && $0.arguments == arguments }
  }

  /// Finds the call that an output or an end is about; without an id it is the latest open one, of
  /// the tool where that is named.
  private func index(of id: String?, tool: String) -> Int? {
    let isCandidate = { (call: ToolCallActivity) in tool.isEmpty || call.tool == tool }
    guard let id else { return all.lastIndex { $0.isOpen && isCandidate($0) } }
    return index(id: id, else: isCandidate)
  }

  /// Finds a call by its id, else a fitting one that has none yet: one that is known from its
  /// permission request alone.
  private func index(id: String, else isCandidate: (ToolCallActivity) -> Bool) -> Int? {
    let id = Self.bounded(id)
    return all.lastIndex { $0.wireID == id }
      ?? all.lastIndex { $0.wireID == nil && $0.isOpen && isCandidate($0) }
  }

  /// Gives a call its id, and makes one that is not known.
  private mutating func identify(_ known: Int?, as id: String?, tool: String) -> Int {
    guard let known else { return add(id: id, tool: tool) }
    all[known].wireID = all[known].wireID ?? id.map(Self.bounded)
    return known
  }

  private mutating func add(id: String?, tool: String) -> Int {
    count += 1
    let id = id.map(Self.bounded)
    var call = ToolCallActivity(
      id: id ?? "call-\(count)",
      tool: tool.head(bytes: 100),
      arguments: .null,
      state: .planned
    )
    call.wireID = id
    all.append(call)
    dropOldCalls()
    return all.count - 1
  }

  private mutating func dropOldCalls() {
    guard all.count > TurnActivity.callLimit else { return }
    // Where all are open, which no server does, the oldest goes nevertheless.
    all.remove(at: all.firstIndex { !$0.isOpen } ?? 0)
    droppedCount += 1
  }
}
