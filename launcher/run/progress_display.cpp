#include "launcher/run/progress_display.hpp"

namespace ringrun {

void ProgressDisplay::set(const std::string& text) {
  hide();
  text_ = text;
}

void ProgressDisplay::hide() {
  if (!shown_) return;
  terminal_.write("\r\033[K");
  shown_ = false;
}

void ProgressDisplay::show_below(const OutputSink& out, const OutputSink& err) {
  if (text_.empty() || !out.at_line_start() || !err.at_line_start()) return;
  if (out.kept() + err.kept() + terminal_.kept() > 0) return;
  terminal_.write(text_);
  shown_ = true;
}

}  // namespace ringrun
