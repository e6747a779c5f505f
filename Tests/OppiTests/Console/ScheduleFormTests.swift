// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import Testing

@testable import Oppi

/// The form of a schedule: nothing is saved before its next runs were shown.
@Suite struct ScheduleFormTests {
  private func typed(_ text: String, into form: inout ScheduleForm) -> ScheduleForm.Outcome {
    for key in [Key.control("u"), .text(text)] where !text.isEmpty { _ = form.take(key, at: .zero) }
    return form.take(.enter, at: .zero)
  }

  private func lines(_ form: ScheduleForm) -> String {
    form.view(width: 80, rows: 20).lines.map(\.plain).joined(separator: "\n")
  }

  @Test(
    "a new schedule is planned after its three fields, and saved only with Enter after the plan"
  )
  func adds() throws {
    let name = try #require(ShortcutName("standup"))
    var form = ScheduleForm()
    #expect(typed("standup", into: &form) == .taken && lines(form).contains("when ›"))
    #expect(typed("every 30m", into: &form) == .taken && lines(form).contains("time zone ›"))
    var request = ScheduleRequest(.every(.seconds(1800), written: "30m"))
    request.zone = "Europe/Berlin"
    #expect(typed("Europe/Berlin", into: &form) == .plan(name, request))
    #expect(form.take(.text("y"), at: .zero) == .taken, "the runs are not known yet")
    let other = ScheduleRequest(.cron("0 9 * * *"))
    form.take(.success([StyledText("of another form")]), of: name, other)
    #expect(!lines(form).contains("of another form"))
    form.take(.success([StyledText("Mon 09:00"), StyledText("Tue 09:00")]), of: name, request)
    #expect(lines(form).contains("next two runs:\nMon 09:00\nTue 09:00"))
    #expect(form.take(.text("y"), at: .seconds(9)) == .taken, "the runs were not on the screen yet")
    form.question?.wasShown(at: .seconds(10))
    #expect(form.take(.text("y"), at: .seconds(10)) == .taken, "typed ahead")
    #expect(form.take(.text("y"), at: .seconds(20)) == .taken)
    form.question?.wasShown(at: .seconds(20))
    let saved = form.take(.enter, at: .seconds(21))
    #expect(saved == .save(.save(name, request, replaces: false)))
  }

  @Test("Enter alone cancels after the plan", arguments: [Key.enter, .text("n"), .escape])
  func cancels(key: Key) throws {
    var form = ScheduleForm()
    _ = typed("standup", into: &form)
    _ = typed("cron 0 9 * * *", into: &form)
    _ = typed("", into: &form)
    let name = try #require(ShortcutName("standup"))
    form.take(.success([]), of: name, ScheduleRequest(.cron("0 9 * * *")))
    form.question?.wasShown(at: .zero)
    #expect(form.take(key, at: .seconds(10)) == .cancelled)
  }

  @Test("a plan that fails returns to the trigger, with the reason")
  func fails() throws {
    var form = ScheduleForm()
    _ = typed("standup", into: &form)
    _ = typed("cron 61 9 * * *", into: &form)
    _ = typed("", into: &form)
    let failure = ConsoleBoard.Failure(message: "61 is no minute")
    let name = try #require(ShortcutName("standup"))
    form.take(.failure(failure), of: name, ScheduleRequest(.cron("61 9 * * *")))
    #expect(lines(form).contains("61 is no minute") && lines(form).contains("cron 61 9 * * *"))
  }

  @Test(
    "a trigger is cron, every or at with a text",
    arguments: ["", "daily", "every", "every soon", "cron", "weekly monday"]
  )
  func triggers(text: String) {
    #expect(ScheduleForm.trigger(text) == nil)
    #expect(ScheduleForm.trigger("at 2026-12-24 18:00 local") == .at("2026-12-24 18:00 local"))
    #expect(ScheduleForm.trigger("cron @daily") == .cron("@daily"))
  }

  @Test("a change starts with the present trigger and keeps the other settings")
  func changes() throws {
    let name = try #require(ShortcutName("standup"))
    var request = ScheduleRequest(.cron("0 9 * * *"))
    (request.zone, request.missed, request.overlap, request.jitter) = (
      "UTC", .once, .queue, .seconds(60)
    )
    var form = ScheduleForm(changing: name, from: request)
    #expect(lines(form).contains("cron 0 9 * * *"))
    #expect(typed("cron 0 10 * * *", into: &form) == .taken)
    request.trigger = .cron("0 10 * * *")
    #expect(form.take(.enter, at: .zero) == .plan(name, request) && form.replaces)
  }
}
