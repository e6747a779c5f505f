// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The form of a schedule: nothing is saved before its next runs were shown.
@Suite struct ScheduleFormTests {
  private var model = ConsoleModel(isReadOnly: false, now: ConsoleDesk.begin)

  private mutating func typed(_ text: String, into form: inout ScheduleForm) -> PageOutcome {
    for key in [Key.control("u"), .text(text)] where !text.isEmpty { _ = press(key, in: &form) }
    return press(.enter, in: &form)
  }

  private mutating func press(
    _ key: Key,
    in form: inout ScheduleForm,
    at pressed: Duration = .zero
  ) -> PageOutcome {
    model.moment = pressed
    return form.take(key, in: &model)
  }

  private func lines(_ form: ScheduleForm) -> String {
    let block = form.view(ScreenSize(columns: 80, rows: 20), in: model)
    return block.lines.map(\.plain).joined(separator: "\n")
  }

  @Test(
    "a new schedule is planned after its three fields, and saved only with Enter after the plan"
  )
  mutating func adds() throws {
    let name = try #require(ShortcutName("standup"))
    var form = ScheduleForm()
    #expect(typed("standup", into: &form) == .stays() && lines(form).contains("when ›"))
    #expect(typed("every 30m", into: &form) == .stays() && lines(form).contains("time zone ›"))
    var request = ScheduleRequest(ScheduleTrigger(.every, "30m"))
    request.zone = "Europe/Berlin"
    #expect(
      typed("Europe/Berlin", into: &form)
        == .stays([.schedule(.plan(name, request, replaces: false))])
    )
    #expect(press(.text("y"), in: &form) == .stays(), "the runs are not known yet")
    let other = ScheduleRequest(ScheduleTrigger(.cron, "0 9 * * *"))
    form.take(.success([StyledText("of another form")]), of: name, other)
    #expect(!lines(form).contains("of another form"))
    form.take(.success([StyledText("Mon 09:00"), StyledText("Tue 09:00")]), of: name, request)
    form.fit(ScreenSize(columns: 80, rows: 20), model)
    #expect(lines(form).contains("next two runs:\nMon 09:00\nTue 09:00"))
    #expect(
      press(.text("y"), in: &form, at: .seconds(9)) == .stays(),
      "the runs were not on the screen yet"
    )
    #expect(model.note?.hasPrefix("read the question first") == true)
    form.question?.wasShown(at: .seconds(10))
    #expect(press(.text("y"), in: &form, at: .seconds(10)) == .stays(), "typed ahead")
    #expect(press(.text("y"), in: &form, at: .seconds(20)) == .stays())
    form.question?.wasShown(at: .seconds(20))
    let saved = press(.enter, in: &form, at: .seconds(21))
    #expect(saved == .closes([.schedule(.save(name, request, replaces: false))]))
  }

  @Test("the form offers the names of shortcuts, examples of times, and zones; Tab takes the first")
  mutating func offers() {
    var form = ScheduleForm()
    #expect(form.opening == [.schedule(.readShortcuts)])
    _ = form.take(.schedule(.shortcuts(["report", "standup", "status"])), in: model)
    #expect(lines(form).hasSuffix("\n  Tab  report\n       standup\n       status"))
    for (typed, offered, prompt) in [
      ("st", "standup", "when ›"), ("every", "every 30m", "time zone ›"),
      ("Eur", "Europe/Berlin", "computing"),
    ] {
      _ = press(.text(typed), in: &form)
      #expect(lines(form).contains("Tab  \(offered)"), "\(lines(form))")
      _ = press(.tab, in: &form)
      #expect(lines(form).contains("› \(offered)"), "\(lines(form))")
      _ = press(.enter, in: &form)
      #expect(lines(form).contains(prompt), "\(lines(form))")
    }
  }

  @Test("Tab without a candidate changes nothing, and a small screen keeps the field")
  mutating func offersNothing() {
    var form = ScheduleForm()
    _ = form.take(.schedule(.shortcuts(["standup"])), in: model)
    _ = press(.text("x"), in: &form)
    _ = press(.tab, in: &form)
    #expect(lines(form).hasSuffix("shortcut › x"))
    let words = (1...30).map { "s\($0)" }
    for rows in 1...12 {
      let size = ScreenSize(columns: 20, rows: rows)
      let block = Composer().field("› ", below: ["one", "two"], offering: words, size)
      #expect(block.lines.count <= rows && block.lines.contains { $0.plain.hasPrefix("›") })
    }
  }

  @Test("Enter alone cancels after the plan", arguments: [Key.enter, .text("n"), .escape])
  mutating func cancels(key: Key) throws {
    var form = ScheduleForm()
    _ = typed("standup", into: &form)
    _ = typed("cron 0 9 * * *", into: &form)
    _ = typed("", into: &form)
    let name = try #require(ShortcutName("standup"))
    form.take(.success([]), of: name, ScheduleRequest(ScheduleTrigger(.cron, "0 9 * * *")))
    form.question?.wasShown(at: .zero)
    #expect(press(key, in: &form, at: .seconds(10)) == .closes())
  }

  @Test("a plan that fails returns to the trigger, with the reason")
  mutating func fails() throws {
    var form = ScheduleForm()
    _ = typed("standup", into: &form)
    _ = typed("cron 61 9 * * *", into: &form)
    _ = typed("", into: &form)
    let failure = FleetView.Failure(message: "61 is no minute")
    let name = try #require(ShortcutName("standup"))
    form.take(.failure(failure), of: name, ScheduleRequest(ScheduleTrigger(.cron, "61 9 * * *")))
    #expect(lines(form).contains("61 is no minute") && lines(form).contains("cron 61 9 * * *"))
  }

  @Test(
    "a trigger is cron, every or at with a text",
    arguments: ["", "daily", "every", "every soon", "cron", "weekly monday"]
  )
  func triggers(text: String) {
    #expect(ScheduleForm.trigger(text) == nil)
    let moment = "2026-12-24 18:00 local"
    #expect(ScheduleForm.trigger("at \(moment)") == ScheduleTrigger(.at, moment))
    #expect(ScheduleForm.trigger("cron @daily") == ScheduleTrigger(.cron, "@daily"))
  }

  @Test("a change starts with the present trigger and keeps the other settings")
  mutating func changes() throws {
    let name = try #require(ShortcutName("standup"))
    var request = ScheduleRequest(ScheduleTrigger(.cron, "0 9 * * *"))
    (request.zone, request.missed, request.overlap, request.jitter) = (
      "UTC", .once, .queue, .seconds(60)
    )
    var form = ScheduleForm(changing: name, from: request)
    #expect(lines(form).contains("cron 0 9 * * *"))
    #expect(typed("cron 0 10 * * *", into: &form) == .stays())
    request.trigger = ScheduleTrigger(.cron, "0 10 * * *")
    #expect(press(.enter, in: &form) == .stays([.schedule(.plan(name, request, replaces: true))]))
  }
}
