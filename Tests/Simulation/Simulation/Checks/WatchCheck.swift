// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiSystem
import OppiText
import OppiWire

/// Compares the reports and decisions of a watch with what its servers received, and checks that
/// the watch still works once the faults end.
struct WatchCheck {
  /// The maximum time from a request to its notification, and from a press to its effect.
  private static let noticeLimit = Duration.seconds(45)
  /// The maximum time from a server's return to the delivery of its queued prompts.
  private static let deliveryLimit = Duration.seconds(150)

  let world: World
  let desk: WatchDesk

  /// Checks the state after a time without faults, and then that the watch works as before.
  ///
  /// - Parameters:
  ///   - servers: The paired servers, all running.
  ///   - past: The number of turns that ended before the watch began.
  func check(_ servers: [VirtualServer], past: Int) async {
    world.check(desk.isRunning, "the watch has ended")
    guard desk.isRunning else { return }
    await checkOffers()
    checkEnds(servers, past: past)
    for server in servers { await probe(server) }
  }

  /// Checks that each pending request is shown with buttons or covered by the group notification.
  private func checkOffers() async {
    let late = desk.documents.filter { $0["state"] == "too-late" }.map(\.["requestId"])
    for request in await pending() {
      guard let session = request["sessionId"].string else { continue }
      world.check(
        !late.contains(request["id"]),
        "\(request["id"].text()) waits, and was told to be decided"
      )
      let isGrouped = desk.desktop.shown.contains { $0.tag == "group" }
      world.check(
        isGrouped || desk.offer(in: session) != nil,
        "\(request["id"].text()) waits and is not shown"
      )
      // Later requests must not be hidden in a group.
      _ = await world.program().run(["deny", "--", request["id"].string ?? ""])
    }
  }

  private func pending() async -> [JSONValue] {
    let list = await world.program().run(["approvals", "--json"])
    world.check(list.status == 0, "requests cannot be listed: \(list.errors)")
    return list.documents.first?["approvals"].array ?? []
  }

  /// Checks that a session has no more reported ends than started turns; a failure that could be read
  /// only after its turn's end is reported again.
  private func checkEnds(_ servers: [VirtualServer], past: Int) {
    let ends = desk.documents.filter {
      $0["type"] == "alert" && ["finished", "failed"].contains($0["kind"].string)
    }
    let runs = servers.flatMap { $0.runs.dropFirst($0 === servers[0] ? past : 0) }
    for (session, told) in Dictionary(grouping: ends, by: { $0["sessionId"].string ?? "" }) {
      let begun = runs.count { $0.sessionID == session }
      let readLater = zip(told, told.dropFirst()).count { first, next in
        first["text"].string?.contains("outcome unknown") == true && next["kind"] == "failed"
      }
      let ended = told.count - readLater
      world.mark("end told")
      world.check(ended <= begun, "\(ended) reports of \(begun) turns in \(session)")
    }
  }

  /// Checks that each approval received was pressed, and each approval reported was received.
  func checkDecisions(_ servers: [VirtualServer]) {
    let pressed = Set(desk.presses.filter(\.isApproval).map(\.request))
    let allowed = servers.flatMap(\.decisions).filter { $0.action == "allow" }
    for decision in allowed {
      world.check(pressed.contains(decision.request), "\(decision.request) was not approved")
    }
    for line in desk.documents where line["type"] == "decision" {
      let id = line["requestId"].string ?? ""
      world.mark("decision \(line["state"].text())")
      guard line["state"] == "approved" else { continue }
      world.check(allowed.contains { $0.request == id }, "\(id) was reported as approved")
    }
  }

  // MARK: - Without faults

  /// Checks that a new request is shown and can be approved, and that the outbox is delivered.
  private func probe(_ server: VirtualServer) async {
    guard desk.isRunning, let workspace = server.reference?.description else { return }
    // A gate of today's servers has an unreadable title, which a notification does not offer to approve.
    let prompt = server.dialect.requests.hasGate ? "deploy" : "ask confirm"
    guard let session = await world.session(asking: ["-q", "-w", workspace, prompt]) else { return }
    // Other updates of the same moment put it into a group.
    let isShown = await desk.wait(atMost: Self.noticeLimit) {
      desk.offer(in: session) != nil || desk.desktop.shown.contains { $0.tag == "group" }
    }
    world.check(isShown, "a request of \(server.name) is not shown")
    if let offer = desk.offer(in: session) {
      let count = server.decisions.count
      // An earlier press approves nothing.
      try? await world.loop.sleep(for: ApprovalPolicy.menuReading)
      desk.press(isApproval: true, on: offer)
      let isDecided = await desk.wait(atMost: Self.noticeLimit) { server.decisions.count > count }
      world.check(isDecided, "pressing a button for \(server.name) has no effect")
    }
    await probeOutbox(of: server, workspace)
  }

  private func probeOutbox(of server: VirtualServer, _ workspace: String) async {
    await server.end(.killed)
    let prompt = "probe \(world.number(below: 1 << 30))"
    let kept = await world.program().run(["ask", "-q", "--queue", "-w", workspace, "--", prompt])
    world.check(kept.status == 0, "nothing is queued for an unreachable server: \(kept.errors)")
    try? await world.loop.sleep(for: .seconds(60))
    world.restore(server)
    let isDelivered = await desk.wait(atMost: Self.deliveryLimit) {
      server.runs.contains { $0.text == prompt }
    }
    world.check(isDelivered, "the queued prompt for \(server.name) is not delivered")
  }
}

extension VirtualServer {
  /// A response to an approval request, whether or not the request was still pending.
  struct Decision: Sendable, Equatable {
    var request: String
    var action: String
  }

  /// The responses to approval requests over REST and WebSockets; older servers lack the REST
  /// route.
  var decisions: [Decision] {
    let answers = requests.filter { $0.path.hasSuffix("/respond") && $0.status != 404 }
    let overREST = answers.map { request in
      let parts = request.path.split(separator: "/")
      let body = (try? JSONValue(parsing: request.body)) ?? .null
      return Decision(
        request: parts.count > 1 ? String(parts[parts.count - 2]) : "",
        action: body["action"].string ?? ""
      )
    }
    let overStreams = messages.filter { $0.type == "permission_response" }.map {
      Decision(request: $0.json["id"].string ?? "", action: $0.json["action"].string ?? "")
    }
    return overREST + overStreams
      + dialogAnswers.map { Decision(request: $0.dialog, action: $0.action) }
  }
}
