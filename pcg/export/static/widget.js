// The player in a notebook (anywidget): a page in a frame, whose finished plays go into the trait `plays`.

export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    const look = { title: "A game to play", width: "100%", height: model.get("height"), allow: "gamepad; clipboard-write" };
    Object.assign(frame, look);
    frame.style.border = "0";
    frame.srcdoc = model.get("text");
    const listen = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.pcg !== "play") return;
      model.set("plays", [...model.get("plays"), data]);
      model.save_changes();
    };
    window.addEventListener("message", listen);
    el.append(frame);
    return () => window.removeEventListener("message", listen);
  },
};
