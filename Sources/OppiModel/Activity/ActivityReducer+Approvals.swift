// SPDX-License-Identifier: MIT

extension ActivityReducer {
  /// Takes a request and finds the call that it holds back.
  ///
  /// That is the latest of the same tool with the same arguments; a call that nobody has told of is
  /// known from its request alone.
  mutating func ask(for request: PermissionRequest, at now: Timestamp) -> [ActivityChange] {
    guard !answeredRequests.contains(request.id),
      !activity.toolCalls.contains(where: { $0.pendingApproval?.id == request.id })
    else { return [] }
    // Only a working agent asks.
    var changes = run == .none ? startTurn(at: now, own: prompts.takeDirect()) : []
    guard isWorking else { return [] }
    takeUpWork()
    var request = request
    request.input = Self.bounded(request.input)
    request.summary = request.summary.head(bytes: 16 * 1024)
    request.reason = request.reason?.head(bytes: 1024)
    let known = index(of: request)
    let index = known ?? addCall(id: nil, tool: request.tool)
    activity.toolCalls[index].arguments = request.input
    if known == nil { changes.append(.toolPlanned(activity.toolCalls[index])) }
    activity.toolCalls[index].state = .waitingApproval(request)
    if activity.toolCalls[index].startedAt == nil { activity.toolCalls[index].startedAt = now }
    changes.append(.approvalRequested(request, callID: activity.toolCalls[index].id))
    return changes
  }

  private func index(of request: PermissionRequest) -> Int? {
    let states: [ToolCallState] = [.running, .planned]
    return states.lazy.compactMap { state in
      activity.toolCalls.lastIndex {
        $0.state == state && $0.tool == request.tool && $0.arguments == request.input
      }
    }.first
  }

  /// Takes an answer to a request: one that was given here, or the end of the request.
  ///
  /// Answers that others give are not announced; they show in what the call does next.
  package mutating func resolve(
    approval id: String,
    as outcome: ApprovalOutcome
  ) -> [ActivityChange] {
    let waiting = activity.toolCalls.lastIndex { $0.pendingApproval?.id == id }
    guard let index = waiting else { return [] }
    answeredRequests.insert(id)
    // A request is only cancelled with its session, and the turn with both.
    if outcome == .cancelled, run != .none { isStopRequested = true }
    activity.toolCalls[index].state =
      outcome.refusal.map(ToolCallState.rejected(reason:)) ?? .running
    return [.approvalResolved(id: id, outcome: outcome)] + announceStart(ofCallAt: index)
  }

  /// Takes the first output of a call that waits for approval: it has run, unless the output is
  /// the server's refusal.
  mutating func permit(
    callAt index: Int,
    unlessRefusedBy output: String
  ) -> [ActivityChange] {
    guard let request = activity.toolCalls[index].pendingApproval else { return [] }
    return resolve(approval: request.id, as: ApprovalOutcome(refusal: output) ?? .approved)
  }

  /// Takes the end of a call that waits for approval: one that failed without a word never ran.
  mutating func settleApproval(ofCallAt index: Int, isError: Bool) -> [ActivityChange] {
    guard let request = activity.toolCalls[index].pendingApproval else { return [] }
    let changes = resolve(approval: request.id, as: isError ? .denied : .approved)
    if isError { activity.toolCalls[index].state = .rejected(reason: "") }
    return changes
  }
}
