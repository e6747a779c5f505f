// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// The tool calls of one turn; finds the call that a message refers to.
///
/// Servers identify calls by ids, older ones do not; a call may be known from its permission
/// request before it has an id. A tool start is a plan or an execution, depending on whether the
/// model is still writing and on whether the server sends both.
struct ToolCalls: Sendable {
  /// The limit, in bytes, of a call's arguments and of its details.
  private static let argumentLimit = 32 * 1024

  /// In the order in which the model made them.
  private(set) var all: [ToolCallActivity] = []
  /// The number of finished calls before ``all`` that are no longer kept.
  private(set) var droppedCount = 0
  /// The number of all calls, including dropped ones.
  private(set) var count = 0
  /// Whether a tool has run since the agent's last message.
  var haveRun = false
  var phase = Phase.writing
  /// Whether the server reports a call both while the model writes it and when it runs.
  private var repeatsStarts = false
  /// Whether the server reports the start of a call when the model begins to write it, and then
  /// only its arguments.
  private var startsEarly = false
  /// Whether the server reports the start of a call that was first seen by its arguments.
  private var startsLate = false
  /// The calls of the current message, and of the last one, that were first seen by their arguments.
  private var (writtenCalls, completeCalls): (Set<String>, Set<String>) = ([], [])
  private var answeredRequests: Set<String> = []

  /// What a tool start means.
  enum Phase: Sendable, Equatable {
    case writing
    /// The message is complete and its calls run; older servers do not announce them before.
    case executing(announced: Bool)
  }

  init() {}

  /// Starts the calls of another turn on the same server.
  init(after last: ToolCalls) {
    repeatsStarts = last.repeatsStarts
    startsEarly = last.startsEarly
    startsLate = last.startsLate
  }

  var hasPlanned: Bool { all.contains { $0.state == .planned } }

  static func bounded(_ arguments: JSONValue) -> JSONValue {
    arguments.bounded(bytes: argumentLimit)
  }

  private static func bounded(_ id: String) -> String { id.head(bytes: 200) }

  // MARK: - The model's messages

  /// Records that the model is writing or about to write.
  mutating func beginMessage() { phase = .writing }

  mutating func endMessage(at now: Timestamp) -> [ActivityChange] {
    phase = .executing(announced: hasPlanned)
    haveRun = false
    completeCalls = writtenCalls
    writtenCalls = []
    // No other message reports that these calls run. If the arguments were heard from the middle on,
    // the start may have been reported before.
    let running = all.indices.filter { index in
      all[index].state == .planned
        && (startsEarly || !startsLate && completeCalls.contains(all[index].id))
    }
    guard !running.isEmpty else { return [] }
    haveRun = true
    return running.flatMap { all[$0].run(at: now) }
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
    if completeCalls.contains(all[index].id) { startsLate = true }
    all[index].lineChange = LineChange(arguments: call.arguments)
    haveRun = true
    return all[index].run(at: now)
  }

  /// Updates the arguments of a call that the model is writing.
  mutating func write(_ call: ToolCall) -> [ActivityChange] {
    let arguments = Self.bounded(call.arguments)
    let known = index(of: call, arguments)
    guard known.map({ all[$0].state == .planned }) ?? true else { return [] }
    let index = identify(known, as: call.id, tool: call.tool)
    if known == nil {
      writtenCalls.insert(all[index].id)
    } else if !writtenCalls.contains(all[index].id) {
      startsEarly = true
    }
    phase = .writing
    all[index].name(call.tool)
    all[index].arguments = arguments
    return known == nil ? [.toolPlanned(all[index])] : []
  }

  /// Adds output.
  ///
  /// The first output of a call that waits for approval shows that it was approved, unless the
  /// output is the server's refusal.
  mutating func print(_ output: ToolOutput, at now: Timestamp) -> [ActivityChange] {
    let known = index(of: output.callID, tool: "")
    let index = identify(known, as: output.callID, tool: "")
    guard all[index].isOpen, !all[index].isPreview(output) else { return [] }
    haveRun = true
    return resolve(callAt: index, as: ApprovalOutcome(refusal: output.text) ?? .approved)
      + all[index].run(at: now) + all[index].take(output)
  }

  /// Ends a call; a call that has already ended does not change.
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
    // A call that waited for approval and failed without output never ran.
    if isError, !changes.isEmpty { all[index].state = .rejected(reason: "") }
    return changes + all[index].end(isError: isError, details: details, at: now)
  }

  /// Ends all calls because the turn is over.
  ///
  /// If the server reported the end, it refused the calls that waited for approval.
  mutating func abandon(at now: Timestamp, isEndKnown: Bool) -> [ActivityChange] {
    all.indices.filter { all[$0].isOpen }.flatMap { index in
      let changes = resolve(callAt: index, as: .cancelled)
      let isRefused = changes.isEmpty || isEndKnown
      return changes + all[index].abandon(at: now, isRefused: isRefused)
    }
  }

  // MARK: - Trace

  /// Loads a call of the trace, which belongs to a complete message.
  mutating func load(_ call: ToolCall, at start: Timestamp) -> [ActivityChange] {
    phase = .executing(announced: false)
    return self.start(call, at: start)
  }

  /// Loads a call's result from the trace, which has the whole output.
  mutating func load(_ result: TraceTurn.Result, at end: Timestamp) -> [ActivityChange] {
    guard let id = result.callID,
      let index = all.lastIndex(where: { $0.wireID == id && $0.isOpen })
    else { return [] }
    all[index].imageCount = result.imageCount
    var changes: [ActivityChange] = []
    if result.output != all[index].output.text {
      let output = ToolOutput(callID: id, text: result.output, replaces: true, isTruncated: false)
      changes = print(output, at: end)
    }
    return changes
      + self.end(id, result.tool, isError: result.isError, details: result.details, at: end)
  }

  // MARK: - Approvals

  /// Whether a request was already received and proposes the same action.
  func hasTaken(_ request: PermissionRequest) -> Bool {
    if answeredRequests.contains(request.id) { return true }
    guard let pending = all.lazy.compactMap(\.pendingApproval).first(where: { $0.id == request.id })
    else { return false }
    return pending.isAbout(sameAs: request)
  }

  /// Adds a request and finds the call that it blocks.
  ///
  /// That is the latest call of the same tool with the same arguments; if there is none, the
  /// request adds one.
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

  /// Finds the call of a start; without an id, the latest planned call of the tool.
  private func index(of call: ToolCall, _ arguments: JSONValue) -> Int? {
    guard let id = call.id else {
      return all.lastIndex { $0.wireID == nil && $0.tool == call.tool && $0.state == .planned }
    }
    return index(id: id) { $0.tool == call.tool && $0.arguments == arguments }
  }

  /// Finds the call of an output or an end; without an id, the tool's latest open call.
  private func index(of id: String?, tool: String) -> Int? {
    let isCandidate = { (call: ToolCallActivity) in tool.isEmpty || call.tool == tool }
    guard let id else { return all.lastIndex { $0.isOpen && isCandidate($0) } }
    return index(id: id, else: isCandidate)
  }

  /// Finds a call by its id, else an open call known only from its permission request.
  private func index(id: String, else isCandidate: (ToolCallActivity) -> Bool) -> Int? {
    let id = Self.bounded(id)
    return all.lastIndex { $0.wireID == id }
      ?? all.lastIndex { $0.wireID == nil && $0.isOpen && isCandidate($0) }
  }

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
    guard all.count > Turn.callLimit else { return }
    // If all calls are open, which no known server causes, drop the oldest.
    all.remove(at: all.firstIndex { !$0.isOpen } ?? 0)
    droppedCount += 1
  }
}
